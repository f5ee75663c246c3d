import { getInsecureHubRpcClient, type HubRpcClient } from '@farcaster/hub-nodejs'
import { afterAll } from 'vitest'
import { createHub } from '../src/hub/create-hub.js'
import type { Hub } from '../src/hub/hub.js'
import { createEventTail } from '../src/hub/log/tail.js'
import type { HubGrpcApi, HubGrpcConfig } from '../src/hub/methods/grpc/grpc-api.js'
import { type HubGrpcServer, serveHubGrpc } from '../src/hub/methods/grpc/serve-hub-grpc.js'
import type { Database } from '../src/platform/db/connection.js'
import { createWorkLimits } from '../src/platform/limits/work-limits.js'
import { silentLog } from '../src/platform/log/log.js'
import { FarcasterNetwork } from '../src/protocol/definitions.js'
import { createVerifyPool } from '../src/protocol/verify-pool.js'
import { testNowUnix } from './network.js'

export interface TestHubGrpc {
  readonly hub: Hub
  readonly server: HubGrpcServer
  /** The published client on a shared connection. */
  readonly client: HubRpcClient
  /** Opens the published client on a new connection. */
  connect(): HubRpcClient
}

interface Options extends Partial<Omit<HubGrpcApi, 'config' | 'tail' | 'db'>> {
  readonly config?: Partial<HubGrpcConfig>
  /** How often the end of the log is looked at beside notifications. */
  readonly pollMs?: number
}

/**
 * Starts a hub and its gRPC API on a database, without the rest of the server. Closed after the file's last
 * test.
 */
export async function openHubGrpc(db: Database, options: Options = {}): Promise<TestHubGrpc> {
  const { config, hub: providedHub, pollMs = 200, ...rest } = options
  const shards = config?.shards ?? 1
  const clock = options.clock ?? (() => testNowUnix * 1000)
  const verifyPool = createVerifyPool({ threads: 0 })
  const network = FarcasterNetwork.DEVNET
  const hub = providedHub ?? (await createHub({ db, network, shards, verifyPool, clock }))
  const tail = createEventTail(db, { pollMs })
  const api: HubGrpcApi = {
    db,
    hub,
    tail,
    clock,
    version: '1.2.3',
    log: silentLog,
    workLimits: createWorkLimits({ clock: Date.now }),
    ...rest,
    config: { shards, network, bodyLimit: 1024 * 1024, rateLimit: 0, stallTimeoutMs: 60_000, ...config },
  }
  const server = await serveHubGrpc(api, { host: '127.0.0.1', port: 0 })
  const clients: HubRpcClient[] = []
  function connect(): HubRpcClient {
    const client = getInsecureHubRpcClient(server.address, { 'grpc.use_local_subchannel_pool': 1 })
    clients.push(client)
    return client
  }
  afterAll(async () => {
    for (const client of clients) client.$.close()
    await server.close(5_000)
    await tail.close()
    await hub.close()
  })
  return { hub, server, client: connect(), connect }
}
