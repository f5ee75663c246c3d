import { FarcasterNetwork, MessageType } from '@farcaster/core'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createKeyCheck } from './api/api-keys.js'
import { type Readiness, registerHealth } from './api/health.js'
import { createMetrics, type Metrics, observeEventLag, observePools } from './api/metrics.js'
import { buildServer } from './api/server.js'
import type { Config } from './config.js'
import { connect, type Database } from './db/connection.js'
import { migrationState } from './db/migrate.js'
import { type OpenDatabase, openServerDatabase } from './db/open-database.js'
import { createHub } from './hub/create-hub.js'
import type { HubApi } from './hub/http/hub-api.js'
import { registerHubApi } from './hub/http/register-hub-api.js'
import type { Hub } from './hub/hub.js'
import { dropExpiredPartitions, ensurePartitions } from './hub/log/partitions.js'
import { createEventTail } from './hub/log/tail.js'
import { version } from './lib/version.js'
import { startMaintenance } from './maintenance.js'
import { createVerifyPool } from './protocol/verify-pool.js'

/** A server that answers. */
export interface RunningServer {
  /** Where it listens; `hub` is the hub API's own address, if it has one. */
  readonly urls: { readonly main: string; readonly hub?: string }
  readonly hub: Hub
  readonly db: Database
  /** Drains requests and merges, then ends everything that was started. */
  stop(): Promise<void>
  /** Ends what would outlive this process, at once. */
  abort(): void
}

const networks = {
  mainnet: FarcasterNetwork.MAINNET,
  testnet: FarcasterNetwork.TESTNET,
  devnet: FarcasterNetwork.DEVNET,
} as const

/** Each shard writes in one transaction at a time; two more are for maintenance and for look-ups. */
const SPARE_WRITERS = 2
const LOG_UPKEEP_MS = 60 * 60 * 1000
const POOL_END_SECONDS = 5

/** What has been started, ended in the reverse order. */
type Closers = (() => Promise<void>)[]

/** Puts the whole server together. What was started is ended again if a later step fails. */
export async function startServer(config: Config, log: Logger): Promise<RunningServer> {
  const closers: Closers = []
  try {
    return await assemble(config, log, closers)
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

async function assemble(config: Config, log: Logger, closers: Closers): Promise<RunningServer> {
  const database: OpenDatabase = await openServerDatabase(config, log)
  closers.push(database.close)
  const db = openPool(database.url, 'plaza', config.databasePool, closers)
  const writerDb = openPool(database.url, 'plaza hub', config.hubShards + SPARE_WRITERS, closers)
  const metrics = createMetrics()
  const hub = await openHub(config, writerDb, metrics, closers)
  observePools(metrics, { read: db, write: writerDb })
  observeEventLag(metrics, hub.queued)
  closers.push(
    startMaintenance(
      [
        {
          name: 'event log partitions',
          everyMs: LOG_UPKEEP_MS,
          run: async () => {
            await ensurePartitions(writerDb, Date.now())
            await dropExpiredPartitions(writerDb, Date.now(), config.eventRetentionDays)
          },
        },
      ],
      log,
    ),
  )

  const health = (app: FastifyInstance) =>
    registerHealth(app, { metrics, readiness: () => readiness(db, hub.queued) })
  const hubApi = openHubApi(config, db, hub, log, closers)
  const shared = { log, metrics, trustProxy: config.trustProxy }
  const hubUrl =
    config.hubPort === undefined
      ? undefined
      : await listen(await buildServer({ ...shared, routes: [hubApi] }), config.hubPort, config, closers)
  const app = await buildServer({ ...shared, routes: [health, hubApi] })
  const main = await listen(app, config.port, config, closers)
  return {
    urls: hubUrl === undefined ? { main } : { main, hub: hubUrl },
    hub,
    db,
    stop: () => closeAll(closers),
    abort: database.abort,
  }
}

function openPool(url: string, applicationName: string, poolSize: number, closers: Closers): Database {
  const db = connect(url, { poolSize, applicationName })
  closers.push(() => db.end({ timeout: POOL_END_SECONDS }))
  return db
}

async function openHub(
  config: Config,
  db: Database,
  metrics: Metrics,
  closers: Closers,
): Promise<Awaited<ReturnType<typeof createHub>>> {
  const verifyPool = createVerifyPool({ threads: config.verifyThreads })
  closers.push(() => verifyPool.close())
  const hub = await createHub({
    db,
    verifyPool,
    network: networks[config.hubNetwork],
    shards: config.hubShards,
    clock: Date.now,
    onOutcome: (type, outcome) => metrics.merges.inc({ type: MessageType[type] ?? 'UNKNOWN', outcome }),
  })
  closers.push(() => hub.close())
  return hub
}

/** The hub API, to be hung into one server or two. */
function openHubApi(
  config: Config,
  db: Database,
  hub: Hub,
  log: Logger,
  closers: Closers,
): (app: FastifyInstance) => Promise<void> {
  const tail = createEventTail(db, { log })
  closers.push(() => tail.close())
  const api: HubApi = {
    db,
    hub,
    tail,
    config: { shards: config.hubShards, bodyLimit: config.hubBodyLimit, rateLimit: config.hubRateLimit },
    clock: Date.now,
    version,
    ...(config.hubRequireApiKey ? { authorize: createKeyCheck(config.hubApiKeys ?? '') } : {}),
  }
  return (app) => registerHubApi(app, api)
}

async function listen(
  app: FastifyInstance,
  port: number,
  { host, shutdownTimeoutMs }: Config,
  closers: Closers,
): Promise<string> {
  closers.push(async () => {
    const timer = setTimeout(() => app.server.closeAllConnections(), shutdownTimeoutMs)
    await app.close().finally(() => clearTimeout(timer))
  })
  return app.listen({ host, port })
}

async function readiness(db: Database, eventLag: () => number): Promise<Readiness> {
  try {
    const { pending, unknown } = await migrationState(db)
    const migrations = pending.length > 0 ? 'pending' : unknown.length > 0 ? 'unknown' : 'applied'
    return { database: 'ok', migrations, eventLag: eventLag() }
  } catch {
    return { database: 'away', migrations: 'unknown', eventLag: eventLag() }
  }
}

/** Ends everything, also when a part cannot be ended in order; then fails with the first error. */
async function closeAll(closers: Closers): Promise<void> {
  const errors: unknown[] = []
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    await close().catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}
