import { createGrpcMetrics } from '../../hub/methods/grpc/grpc-metrics.js'
import { serveHubGrpc } from '../../hub/methods/grpc/serve-hub-grpc.js'
import { registerHubApi } from '../../hub/methods/http/register-hub-api.js'
import { version } from '../../platform/process/version.js'
import { farcasterNetworks } from '../farcaster-networks.js'
import { createKeyCheck, createKeyNames } from '../hub-keys.js'
import type { Module, ServerApp } from '../module.js'

/** The hub's HTTP API, on the main port and alone on `HUB_PORT`. */
export const hubApiModule: Module = {
  name: 'hub API',
  runsIn: ['api'],
  start: (app) => ({
    hubRoutes: (server) =>
      registerHubApi(server, {
        ...commonOptions(app),
        config: {
          shards: app.config.hubShards,
          network: farcasterNetworks[app.config.hubNetwork],
          bodyLimit: app.config.hubBodyLimit,
          rateLimit: app.config.hubRateLimit,
          stallTimeoutMs: app.config.hubStreamTimeoutMs,
          maxStreams: app.config.hubStreams,
          maxStreamsOfCaller: app.config.hubStreamsPerCaller,
        },
      }),
  }),
}

/** The hub over gRPC, where the configuration has a port for it. */
export const hubGrpcModule: Module = {
  name: 'hub over gRPC',
  runsIn: ['api'],
  async start(app) {
    const { config, log, metrics } = app
    if (config.hubGrpcPort === undefined) return { services: { grpcAddress: null } }
    const server = await serveHubGrpc(
      {
        ...commonOptions(app),
        config: {
          shards: config.hubShards,
          network: farcasterNetworks[config.hubNetwork],
          bodyLimit: config.hubBodyLimit,
          rateLimit: config.hubRateLimit,
          trustProxy: config.trustProxy,
          requestTimeoutMs: config.requestTimeoutMs,
          stallTimeoutMs: config.hubStreamTimeoutMs,
          maxSubscribers: config.hubStreams,
          maxSubscribersOfCaller: config.hubStreamsPerCaller,
        },
        log,
        metrics: createGrpcMetrics(metrics),
      },
      { host: config.host, port: config.hubGrpcPort },
    )
    return {
      services: { grpcAddress: server.address },
      stop: () => server.close(config.shutdownTimeoutMs / 2),
    }
  },
}

function commonOptions(app: ServerApp) {
  const { config, connections, reads, hub, tail, clock, workLimits, tracing } = app
  const nameKey = createKeyNames(config.hubApiKeys ?? '', app.service('findCaller'))
  return {
    workLimits,
    nameKey,
    db: connections.read,
    reads,
    hub,
    tail,
    clock,
    tracing,
    version,
    operatorAuth: config.hubAdminAuth,
    ...(config.hubRequireApiKey ? { authorize: createKeyCheck(nameKey) } : {}),
  }
}
