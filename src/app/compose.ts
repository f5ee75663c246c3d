import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createKeyCheck, type FindCaller } from '../api/api-keys.js'
import { type Readiness, registerHealth } from '../api/health.js'
import { buildServer } from '../api/server.js'
import { inboxConsumer } from '../features/notifications/inbox-consumer.js'
import { createScoreSchedule } from '../features/score/score-schedule.js'
import { seedList } from '../features/score/seed-list.js'
import { recordCompactedFollows } from '../features/webhooks/events/compacted-follows.js'
import { dropStaleViews, startCacheFollower } from '../graph/cache/cache-follower.js'
import { Hydrator } from '../graph/cache/hydrator.js'
import { LocalCommits } from '../graph/cache/local-commits.js'
import { createSearchJob } from '../graph/project/search-prefix-lists.js'
import type { Hub } from '../hub/hub.js'
import { readConsumerLag } from '../hub/log/consumer.js'
import { dropExpiredPartitions, ensurePartitions } from '../hub/log/partitions.js'
import { createEventTail } from '../hub/log/tail.js'
import type { MergeHook } from '../hub/merge/merge.js'
import type { HubApi } from '../hub/methods/http/hub-api.js'
import { registerHubApi } from '../hub/methods/http/register-hub-api.js'
import { connect, type Database } from '../platform/db/connection.js'
import { migrationState } from '../platform/db/migrate.js'
import { type OpenDatabase, openServerDatabase } from '../platform/db/open-database.js'
import { placeOf } from '../platform/geo/places.js'
import { createMetrics, observeConsumers, observeEventLag, observePools } from '../platform/metrics.js'
import { version } from '../platform/process/version.js'
import { startScheduledJobs } from '../platform/scheduler/scheduled-jobs.js'
import type { Config } from './config/config.js'
import { openAccounts } from './modules/accounts.js'
import { openMiniApps } from './modules/campaigns.js'
import { openChain } from './modules/chain.js'
import { openConsumers } from './modules/consumers.js'
import { openCrawler } from './modules/crawler.js'
import { openHub } from './modules/hub.js'
import { openHubGrpc } from './modules/hub-grpc.js'
import { openImporters } from './modules/importers.js'
import { openMainApi } from './modules/main-api.js'
import { openUpstream } from './modules/sync.js'
import { openAssets } from './modules/tokens.js'
import { openVault } from './modules/vault.js'
import { openWebhooks } from './modules/webhooks.js'

/** A server that answers. */
export interface RunningServer {
  /** Where it listens; `hub` is the hub API's own address, `grpc` the host and port of the hub over gRPC, if it has them. */
  readonly urls: { readonly main: string; readonly hub?: string; readonly grpc?: string }
  readonly hub: Hub
  readonly db: Database
  /** The API key that was made because the database had none. */
  readonly developmentKey: string | null
  /** Drains requests and merges, then ends everything that was started. */
  stop(): Promise<void>
  /** Ends what would outlive this process, at once. */
  abort(): void
}

/** What a program that embeds the server adds to it. */
export interface ServerExtension {
  /** Runs once on the migrated database, before anything is merged. */
  readonly prepare?: (db: Database) => Promise<void>
  /** Run in every merge's transaction. */
  readonly mergeHooks?: readonly MergeHook[]
}

const LOG_MAINTENANCE_MS = 60 * 60 * 1000

/**
 * What views are made of is looked up by key, in statements that are all short. Few connections, each with many
 * statements under way, wake fewer processes: a channel page with a viewer took 0.36 ms of the server's CPU by 2
 * connections and 0.44 to 0.67 by 10, on 2 cores. Slower reads have connections of their own, and hold up none of these.
 */
const VIEW_POOL_SIZE = 2
const POOL_END_SECONDS = 5

/** What has been started, ended in the reverse order. */
type CloseFunctions = (() => Promise<void>)[]

/** Puts the whole server together. What was started is ended again if a later step fails. */
export async function startServer(
  config: Config,
  log: Logger,
  extension: ServerExtension = {},
): Promise<RunningServer> {
  const closeFunctions: CloseFunctions = []
  try {
    return await assemble(config, log, extension, closeFunctions)
  } catch (error) {
    await closeAll(closeFunctions)
    throw error
  }
}

async function assemble(
  config: Config,
  log: Logger,
  extension: ServerExtension,
  closeFunctions: CloseFunctions,
): Promise<RunningServer> {
  const database: OpenDatabase = await openServerDatabase(config, log)
  closeFunctions.push(database.close)
  const metrics = createMetrics()
  const localCommits = new LocalCommits()
  const { hub, db, writerDb, close } = await openHub(config, database.url, 'plaza', {
    countMerge: (type, outcome) => metrics.merges.inc({ type, outcome }),
    mergeHooks: [recordCompactedFollows, ...(extension.mergeHooks ?? [])],
    // Other processes read it in the log; whoever has merged through this one must not see what was before.
    onCommitted: (events) => {
      dropStaleViews(hydrator, events)
      localCommits.record(events)
    },
  })
  closeFunctions.push(close)
  await extension.prepare?.(writerDb)
  observeEventLag(metrics, hub.queued)
  observeConsumers(metrics, () => readConsumerLag(db))
  const tail = createEventTail(db, { log })
  closeFunctions.push(() => tail.close())
  const viewDb = connect(database.url, { poolSize: VIEW_POOL_SIZE, applicationName: 'plaza views' })
  closeFunctions.push(() => viewDb.end({ timeout: POOL_END_SECONDS }))
  observePools(metrics, { read: db, views: viewDb, write: writerDb })
  const hydrator = new Hydrator({
    db: viewDb,
    clock: Date.now,
    placeOf,
    maxEntries: config.viewCacheEntries,
  })
  closeFunctions.push(
    await startCacheFollower({ db, hydrator, localCommits, tail, shards: config.hubShards, log }),
  )
  const webhooks = await openWebhooks(config, {
    url: database.url,
    hydrator,
    vault: await openVault(config),
    registry: metrics.registry,
    log,
  })
  closeFunctions.push(webhooks.close)
  const consumers = [inboxConsumer, webhooks.consumer]
  const chain = openChain(config, { url: database.url, hub, registry: metrics.registry, log })
  if (chain !== null) closeFunctions.push(chain.close)
  const { assets, close: closeAssets } = openAssets(config, chain, log)
  closeFunctions.push(closeAssets)
  closeFunctions.push(openConsumers({ url: database.url, shards: config.hubShards, consumers, tail, log }))
  const { crawler, close: closeCrawler } = openCrawler(config, { db, log })
  closeFunctions.push(closeCrawler)
  const miniApps = await openMiniApps(config, { url: database.url, registry: metrics.registry, log })
  closeFunctions.push(miniApps.close)
  const { campaigns } = miniApps
  const { accounts, close: closeAccounts } = await openAccounts(config, {
    url: database.url,
    hub,
    chain,
    registry: metrics.registry,
    log,
  })
  closeFunctions.push(closeAccounts)
  let main = ''
  const mainApi = await openMainApi(
    config,
    { db, writerDb, hub, hydrator, crawler, accounts, assets, campaigns, listeningUrl: () => main },
    log,
  )
  closeFunctions.push(mainApi.close)
  const importers = openImporters(config, { db: writerDb, hub, registry: metrics.registry, log })
  closeFunctions.push(importers.close)
  const scores = createScoreSchedule({
    db,
    url: database.url,
    seeds: seedList(config.scoreSeeds),
    intervalHours: config.scoreIntervalHours,
    clock: Date.now,
    log,
  })
  closeFunctions.push(
    startScheduledJobs(
      [
        {
          name: 'event log partitions',
          everyMs: LOG_MAINTENANCE_MS,
          run: async () => {
            await ensurePartitions(writerDb, Date.now())
            await dropExpiredPartitions(writerDb, Date.now(), config.eventRetentionDays)
          },
        },
        ...mainApi.jobs,
        ...webhooks.jobs,
        ...importers.jobs,
        ...miniApps.jobs,
        createSearchJob({ db: writerDb, clock: Date.now }),
        scores,
      ],
      log,
    ),
    scores.stop,
  )

  closeFunctions.push(await openUpstream(config, { url: database.url, hub, registry: metrics.registry, log }))

  const health = (app: FastifyInstance) =>
    registerHealth(app, { metrics, readiness: () => readiness(db, hub.queued) })
  const hubApi = openHubApi(config, { db, hub, tail, findCaller: mainApi.findCaller })
  const commonServerOptions = { log, metrics, trustProxy: config.trustProxy }
  const apps = [await buildServer({ ...commonServerOptions, routes: [health, hubApi, mainApi.routes] })]
  if (config.hubPort !== undefined) apps.push(await buildServer({ ...commonServerOptions, routes: [hubApi] }))
  const grpc = await openHubGrpc(config, { db, hub, tail, log, metrics, findCaller: mainApi.findCaller })
  closeFunctions.push(async () => {
    await Promise.all([...apps.map((app) => drainRequests(app, config.shutdownTimeoutMs)), grpc?.close()])
  })
  const [mainUrl = '', hubUrl] = await Promise.all(
    apps.map((app, index) =>
      app.listen({ host: config.host, port: (index === 0 ? config.port : config.hubPort) ?? 0 }),
    ),
  )
  main = mainUrl
  return {
    urls: {
      main,
      ...(hubUrl === undefined ? {} : { hub: hubUrl }),
      ...(grpc === null ? {} : { grpc: grpc.address }),
    },
    hub,
    db,
    developmentKey: mainApi.developmentKey,
    stop: () => closeAll(closeFunctions),
    abort: database.abort,
  }
}

/** The hub API, to be hung into one server or two. */
function openHubApi(
  config: Config,
  { findCaller, ...parts }: Pick<HubApi, 'db' | 'hub' | 'tail'> & { readonly findCaller: FindCaller },
): (app: FastifyInstance) => Promise<void> {
  const api: HubApi = {
    ...parts,
    config: {
      shards: config.hubShards,
      bodyLimit: config.hubBodyLimit,
      rateLimit: config.hubRateLimit,
      stallTimeoutMs: config.hubStreamTimeoutMs,
    },
    clock: Date.now,
    version,
    ...(config.hubRequireApiKey ? { authorize: createKeyCheck(config.hubApiKeys ?? '', findCaller) } : {}),
  }
  return (app) => registerHubApi(app, api)
}

/** Lets requests finish that have begun; after the limit their connections are cut. */
async function drainRequests(app: FastifyInstance, limitMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limitMs)
  await app.close().finally(() => clearTimeout(timer))
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
async function closeAll(closeFunctions: CloseFunctions): Promise<void> {
  const errors: unknown[] = []
  for (let close = closeFunctions.pop(); close !== undefined; close = closeFunctions.pop()) {
    await close().catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}
