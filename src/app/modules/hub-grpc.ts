import { createKeyCheck, type FindCaller } from '../../api/api-keys.js'
import type { HubGrpcApi } from '../../hub/methods/grpc/grpc-api.js'
import { serveHubGrpc } from '../../hub/methods/grpc/serve-hub-grpc.js'
import { createGrpcMetrics, type Metrics } from '../../platform/metrics.js'
import { version } from '../../platform/process/version.js'
import type { Config } from '../config/config.js'

/** What the hub over gRPC stands on. */
export interface HubGrpcServices extends Pick<HubGrpcApi, 'db' | 'hub' | 'tail' | 'log'> {
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
  { metrics, findCaller, ...parts }: HubGrpcServices,
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
