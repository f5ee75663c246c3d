import type { Logger } from 'pino'
import { startCacheFollower } from '../graph/cache/cache-follower.js'
import { Hydrator } from '../graph/cache/hydrator.js'
import { startWindowLoader } from '../graph/cache/recent/window-loader.js'
import type { Hub } from '../hub/hub.js'
import { startConsumer } from '../hub/log/consumer.js'
import { ensureCursors } from '../hub/log/consumer-batch.js'
import { createEventTail } from '../hub/log/tail.js'
import type { MergeHook } from '../hub/merge/merge.js'
import type { Database } from '../platform/db/connection.js'
import { openServerDatabase } from '../platform/db/open-database.js'
import { warnIfAsynchronous } from '../platform/db/synchronous-standbys.js'
import { placeOf } from '../platform/geo/places.js'
import { createWorkLimits, type WorkLimits } from '../platform/limits/work-limits.js'
import {
  type CacheUsage,
  countFeedReads,
  countLogResets,
  createMetrics,
  observeCaches,
  observeEventLag,
  observePools,
  observeWindow,
  observeWork,
} from '../platform/metrics.js'
import { startScheduledJobs } from '../platform/scheduler/scheduled-jobs.js'
import type { Config } from './config/config.js'
import { type Connections, openConnections, splitConnections } from './connections.js'
import type { App, Module, Services, StartedModule } from './module.js'
import { modules } from './modules.js'
import { openHub } from './open-hub.js'
import { countLookups, openChainLookups } from './open-lookups.js'
import { openVault } from './open-vault.js'
import { registerProcess } from './processes.js'
import { openReadRouting, writersOf } from './read-routing.js'
import { parseRoles, type Role } from './roles.js'
import { type ServerUrls, startServers } from './servers.js'
import { watchShortages } from './shortages.js'

const BYTES_PER_MB = 2 ** 20

/** A server that answers. */
export interface RunningServer {
  readonly urls: ServerUrls & {
    /** Host and port of the hub over gRPC. */
    readonly grpc?: string
  }
  readonly hub: Hub
  readonly db: Database
  /** The API key that was generated because the database had none. */
  readonly developmentKey: string | null
  /** Drains requests and merges, then stops everything that was started. */
  stop(): Promise<void>
  /** Ends at once what would outlive this process. */
  abort(): void
}

/** What a program that embeds the server adds to it. */
export interface ServerExtension {
  /** Runs once on the migrated database, before anything is merged. */
  readonly prepare?: (db: Database) => Promise<void>
  /** Run in every merge's transaction, after those of the modules. */
  readonly mergeHooks?: readonly MergeHook[]
}

/** Starts the modules of the configured roles. What was started is stopped again if a later step fails. */
export async function startServer(
  config: Config,
  log: Logger,
  extension: ServerExtension = {},
): Promise<RunningServer> {
  const lifecycle = new Lifecycle()
  try {
    return await compose(config, log, extension, lifecycle)
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

async function compose(
  config: Config,
  log: Logger,
  extension: ServerExtension,
  lifecycle: Lifecycle,
): Promise<RunningServer> {
  const database = await openServerDatabase(config, log)
  lifecycle.onStop(database.close)
  const roles = parseRoles(config.roles)
  const shortages = watchShortages(config.databaseUrl === undefined ? config.dataDir : undefined)
  const connections = openConnections(
    database.url,
    splitConnections(config.databasePool, roles, config.hubShards),
    { requestTimeoutMs: roles.has('api') ? config.requestTimeoutMs : undefined, onError: shortages.note },
  )
  lifecycle.onStop(() => connections.end())
  if (config.databaseReplicaUrl) await warnIfAsynchronous(connections.read, log)
  await extension.prepare?.(connections.write)
  let mainUrl = ''
  const publicUrl = () => config.publicUrl?.replace(/\/+$/, '') ?? mainUrl
  const app = await openApp(
    { config, log, roles, connections, extension, publicUrl, lifecycle },
    database.url,
  )
  const processes = await registerProcess(connections.write, { roles, connections: config.databasePool }, log)
  lifecycle.onStop(processes.stop)
  processes.observe(app.metrics)
  shortages.observe(app.metrics)
  const services: Partial<Services> = {}
  const started = await startModules(app, services, lifecycle)
  await startConsumers(app, lifecycle)
  const jobs = started.flatMap((module) => module.jobs ?? [])
  lifecycle.onStop(startScheduledJobs(jobs, { locks: connections.locks, log }))
  const servers = await startServers({ ...app, log }, started, { processes, shortages })
  lifecycle.onStop(servers.stop)
  mainUrl = servers.urls.main
  const { grpcAddress = null, developmentKey = null } = services
  return {
    urls: { ...servers.urls, ...(grpcAddress === null ? {} : { grpc: grpcAddress }) },
    hub: app.hub,
    db: connections.read,
    developmentKey,
    stop: () => lifecycle.stop(),
    abort: database.abort,
  }
}

interface AppParts extends Pick<App, 'config' | 'roles' | 'connections' | 'publicUrl'> {
  readonly log: Logger
  readonly extension: ServerExtension
  readonly lifecycle: Lifecycle
}

/** Opens what every module works with: the hub, the tail of its log, and the caches that follow it. */
async function openApp(parts: AppParts, databaseUrl: string): Promise<Omit<App, 'service'>> {
  const { config, log, roles, connections, extension, publicUrl, lifecycle } = parts
  const metrics = createMetrics()
  const lookups = openChainLookups(config, { log, onOutcome: countLookups(metrics.registry) })
  const reads = roles.has('api') ? openReadRouting(config, { connections, metrics, log }) : null
  if (reads) lifecycle.onStop(reads.stop)
  const { hub, close } = await openHub({
    config,
    lookups,
    writerDb: connections.write,
    countMerge: (type, outcome) => metrics.merges.inc({ type, outcome }),
    extraHooks: extension.mergeHooks,
    onCommitted: (events) => {
      hydrator.invalidation.applyCommitted(events)
      reads?.routing.wrote(writersOf(events))
    },
  })
  lifecycle.onStop(close)
  observeEventLag(metrics, hub.queued)
  observePools(metrics, pools(connections))
  const onReset = countLogResets(metrics)
  const tail = createEventTail(connections.read, { log, onReset, listener: connections.listener })
  lifecycle.onStop(() => tail.close())
  const rendersViews = roles.has('api') || roles.has('worker')
  const hydrator = new Hydrator({
    db: connections.views,
    listDb: connections.read,
    clock: Date.now,
    placeOf,
    maxEntries: rendersViews ? config.viewCacheEntries : 0,
    maxViewerSetsBytes: rendersViews ? config.viewerSetsMb * BYTES_PER_MB : 0,
    // Workers render what they send and read no feeds.
    maxRecentPlaces: roles.has('api') && config.viewCacheEntries > 0 ? config.recentWindowEntries : 0,
    onFeedRead: countFeedReads(metrics),
  })
  observeCaches(metrics, () => usageOf(hydrator))
  if (rendersViews) {
    const { read: db, listener } = connections
    const { invalidation } = hydrator
    const shards = config.hubShards
    lifecycle.onStop(await startCacheFollower({ db, listener, invalidation, tail, shards, log }))
    const { window } = hydrator
    observeWindow(metrics, () => window.isFilled)
    lifecycle.onStop(
      startWindowLoader({ db: connections.work, blocks: invalidation.blocks, window, clock: Date.now, log }),
    )
  }
  const vault = await openVault(config)
  const clock = Date.now
  return {
    config,
    roles,
    databaseUrl,
    connections,
    reads: reads?.routing ?? null,
    hub,
    lookups,
    tail,
    hydrator,
    vault,
    metrics,
    work: openWork(config, { clock, metrics }),
    log,
    clock,
    publicUrl,
  }
}

function openWork(config: Config, { clock, metrics }: Pick<App, 'clock' | 'metrics'>): WorkLimits {
  const work: WorkLimits = createWorkLimits({
    clock,
    budgetMs: config.workRateLimit,
    concurrency: config.workConcurrency,
    onRefused: observeWork(metrics, () => work.usage()),
  })
  return work
}

function usageOf(hydrator: Hydrator): CacheUsage {
  const { viewerSets, window } = hydrator
  return {
    lookups: hydrator.lookups(),
    sizes: {
      viewer_sets: { entries: viewerSets.size, bytes: viewerSets.bytes },
      recent_window: { entries: window.places.size, bytes: window.byteLength },
    },
  }
}

function pools({ end, ...connections }: Connections): Readonly<Record<string, Database>> {
  return connections
}

/** Starts the modules of this process's roles in the order of the list. `services` is filled on the way. */
async function startModules(
  parts: Omit<App, 'service'>,
  services: Partial<Services>,
  lifecycle: Lifecycle,
): Promise<StartedModule[]> {
  const app: App = {
    ...parts,
    service(name) {
      if (!(name in services)) throw new Error(`no module above this one provides ${name}`)
      return services[name] as Services[typeof name]
    },
  }
  const started: StartedModule[] = []
  for (const module of modules) {
    module.observe?.(app)
    if (!runsHere(module, app.roles)) continue
    const running = (await module.start?.(app)) ?? {}
    if (running.stop) lifecycle.onStop(running.stop)
    Object.assign(services, running.services)
    started.push(running)
  }
  return started
}

function runsHere({ runsIn }: Module, roles: ReadonlySet<Role>): boolean {
  return runsIn.some((role) => roles.has(role))
}

/** Makes the cursors of all consumers, in every process; a worker runs them. */
async function startConsumers(
  { connections, config, roles, tail, log, clock }: Omit<App, 'service'>,
  lifecycle: Lifecycle,
): Promise<void> {
  const shards = config.hubShards
  for (const consumer of modules.flatMap((module) => module.consumers?.(clock) ?? [])) {
    await ensureCursors(connections.write, consumer, shards)
    if (roles.has('worker')) {
      lifecycle.onStop(startConsumer(consumer, { db: connections.work, shards, tail, log }))
    }
  }
}

/** What has been started and how to stop it, in the reverse order. */
class Lifecycle {
  readonly #stops: (() => Promise<unknown>)[] = []

  /** Remembers how to stop what was just started. */
  onStop(stop: () => Promise<unknown>): void {
    this.#stops.push(stop)
  }

  /** Stops everything, also when a part cannot be stopped in order; then fails with the first error. */
  async stop(): Promise<void> {
    const errors: unknown[] = []
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      await stop().catch((error: unknown) => errors.push(error))
    }
    if (errors.length > 0) throw errors[0]
  }
}
