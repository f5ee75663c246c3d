import { createKeyCheck, type FindCaller } from './api/api-keys.js'
import { createGrpcMetrics, type Metrics } from './api/metrics.js'
import type { Config } from './config.js'
import type { HubGrpcApi } from './hub/grpc/grpc-api.js'
import { serveHubGrpc } from './hub/grpc/serve-hub-grpc.js'
import { version } from './lib/version.js'

/** What the hub over gRPC stands on. */
export interface HubGrpcParts extends Pick<HubGrpcApi, 'db' | 'hub' | 'tail' | 'log'> {
  readonly metrics: Metrics
  readonly findCaller: FindCaller
}

/** The hub over gRPC, while it is served. */
export interface OpenHubGrpc {
  /** `<host>:<port>` */
  readonly address: string
  close(): Promise<void>
}

/** Serves the hub over gRPC, where the configuration has a port for it; else null. */
export async function openHubGrpc(
  config: Config,
  { metrics, findCaller, ...parts }: HubGrpcParts,
): Promise<OpenHubGrpc | null> {
  if (config.hubGrpcPort === undefined) return null
  const api: HubGrpcApi = {
    ...parts,
    config: {
      shards: config.hubShards,
      bodyLimit: config.hubBodyLimit,
      rateLimit: config.hubRateLimit,
      trustProxy: config.trustProxy,
      stallTimeoutMs: config.hubStreamTimeoutMs,
    },
    clock: Date.now,
    version,
    metrics: createGrpcMetrics(metrics),
    ...(config.hubRequireApiKey ? { authorize: createKeyCheck(config.hubApiKeys ?? '', findCaller) } : {}),
  }
  const server = await serveHubGrpc(api, { host: config.host, port: config.hubGrpcPort })
  return { address: server.address, close: () => server.close(config.shutdownTimeoutMs) }
}
