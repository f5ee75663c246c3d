import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { startLogBroadcast } from '../features/processes/logs/log-broadcast.js'
import { startCacheFollower } from '../graph/cache/cache-follower.js'
import {
  type CacheUsage,
  countFeedReads,
  observeCaches,
  observeWindow,
} from '../graph/cache/cache-metrics.js'
import { Hydrator } from '../graph/cache/hydrator.js'
import { startWindowLoader } from '../graph/cache/recent/window-loader.js'
import type { Hub } from '../hub/hub.js'
import { startConsumer } from '../hub/log/consumer.js'
import { ensureCursors } from '../hub/log/consumer-batch.js'
import { countLogResets, observeEventLag } from '../hub/log/log-metrics.js'
import { createEventTail } from '../hub/log/tail.js'
import type { MergeHook } from '../hub/merge/merge.js'
import type { Database } from '../platform/db/connection.js'
import { isUnavailable } from '../platform/db/connection-errors.js'
import { openServerDatabase, STARTUP_LIMIT_MS } from '../platform/db/open-database.js'
import { warnIfAsynchronous } from '../platform/db/synchronous-standbys.js'
import { locationOf } from '../platform/geo/cities.js'
import { createWorkLimits, type WorkLimits } from '../platform/limits/work-limits.js'
import { observeWork } from '../platform/limits/work-metrics.js'
import { ErrorJournal, journaled } from '../platform/log/error-journal.js'
import { LogFeed, recorded } from '../platform/log/log-feed.js'
import { createMetrics, observePools } from '../platform/metrics.js'
import { pause } from '../platform/process/pause.js'
import { parseRoles, type Role } from '../platform/process/roles.js'
import { isThreadBusy } from '../platform/process/thread-load.js'
import { JobRuns } from '../platform/scheduler/job-runs.js'
import { startScheduledJobs } from '../platform/scheduler/scheduled-jobs.js'
import type { Config } from './config/config.js'
import { type Connections, openConnections, splitConnections } from './connections.js'
import { warnOfMissingKeys } from './encrypted-columns.js'
import type { Module, ServerApp, Services, StartedModule } from './module.js'
import { modules } from './modules.js'
import { openHub } from './open-hub.js'
import { countLookups, openChainLookups } from './open-lookups.js'
import { openTracing } from './open-tracing.js'
import { openVault } from './open-vault.js'
import { measuresJob } from './process-measures.js'
import { registerProcess } from './processes.js'
import { openReadRouting, writersOf } from './read-routing.js'
import { type ServerUrls, startServers } from './servers.js'
import { watchShortages } from './shortages.js'

const BYTES_PER_MB = 2 ** 20
const JOB_RUNS_FLUSH_MS = 5_000

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

const RESTART_MS = 1_000

/** Additions of a program that embeds the server. */
export interface ServerExtension {
  /** Runs once on the migrated database, before anything is merged. */
  readonly prepare?: (db: Database) => Promise<void>
  /** Run in every merge's transaction, after those of the modules. */
  readonly mergeHooks?: readonly MergeHook[]
  /** Ends a start that waits for the database. */
  readonly signal?: AbortSignal
}

/**
 * Starts the modules of the configured roles. What was started is stopped again if a later step fails. A database that
 * stops answering meanwhile has a minute.
 */
export async function startServer(
  config: Config,
  log: Logger,
  extension: ServerExtension = {},
): Promise<RunningServer> {
  const deadline = Date.now() + STARTUP_LIMIT_MS
  for (;;) {
    const lifecycle = new Lifecycle()
    try {
      return await compose(config, log, extension, lifecycle)
    } catch (error) {
      await lifecycle.stop()
      if (extension.signal?.aborted || !isUnavailable(error) || Date.now() >= deadline) throw error
      log.warn({ err: error }, 'the database stopped answering: starting again')
      await pause(RESTART_MS, extension.signal)
    }
  }
}

async function compose(
  config: Config,
  logger: Logger,
  extension: ServerExtension,
  lifecycle: Lifecycle,
): Promise<RunningServer> {
  const metrics = createMetrics()
  const tracing = await openTracing(config, logger, metrics.registry)
  lifecycle.onStop(() => tracing.stop(config.shutdownTimeoutMs / 3))
  const database = await openServerDatabase(config, logger, extension.signal)
  lifecycle.onStop(database.close)
  const roles = parseRoles(config.roles)
  const shortages = watchShortages(config.databaseUrl === undefined ? config.dataDir : undefined)
  const connections = openConnections(
    database.url,
    splitConnections(config.databasePool, roles, config.hubShards),
    {
      requestTimeoutMs: roles.has('api') ? config.requestTimeoutMs : undefined,
      onError: shortages.note,
      traces: tracing.isOn,
    },
  )
  lifecycle.onStop(() => connections.end())
  if (config.databaseReplicaUrl) await warnIfAsynchronous(connections.read, logger)
  await extension.prepare?.(connections.write)
  let mainUrl = ''
  const publicUrl = () => config.publicUrl?.replace(/\/+$/, '') ?? mainUrl
  const errors = new ErrorJournal(Date.now)
  const feed = new LogFeed(Date.now)
  const log = recorded(journaled(logger, errors), feed)
  const opened = await openApp(
    { config, log, errors, metrics, tracing, roles, connections, extension, publicUrl, lifecycle },
    database.url,
  )
  const processes = await registerProcess(connections.write, { roles, connections: config.databasePool }, log)
  lifecycle.onStop(processes.stop)
  const { write: db, listener } = connections
  lifecycle.onStop(
    await startLogBroadcast({
      db,
      listen: listener.listen,
      feed,
      process: `${hostname()}:${process.pid}`,
      clock: Date.now,
    }),
  )
  const app = { ...opened, processId: processes.id }
  processes.observe(app.metrics)
  shortages.observe(app.metrics)
  const services: Partial<Services> = {}
  const started = await startModules(app, services, lifecycle)
  await startConsumers(app, lifecycle)
  startJobs(app, started, lifecycle)
  const servers = await startServers({ ...app, log: logger }, started, { processes, shortages, feed })
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

function startJobs(app: AppParts, started: readonly StartedModule[], lifecycle: Lifecycle): void {
  const { connections, processId, log } = app
  const runs = new JobRuns(app.clock)
  const jobs = [
    ...started.flatMap((module) => module.jobs ?? []),
    measuresJob(app),
    {
      name: 'runs of jobs',
      everyMs: JOB_RUNS_FLUSH_MS,
      perProcess: true,
      run: () => runs.flush(connections.write, processId),
    },
  ]
  lifecycle.onStop(startScheduledJobs(jobs, { locks: connections.locks, log, runs }))
}

/** Parts that modules work with, without the services that they give each other. */
type AppParts = Omit<ServerApp, 'service'>

interface AppSources
  extends Pick<
    ServerApp,
    'config' | 'log' | 'errors' | 'metrics' | 'tracing' | 'roles' | 'connections' | 'publicUrl'
  > {
  readonly extension: ServerExtension
  readonly lifecycle: Lifecycle
}

/** Opens what every module works with: the hub, the tail of its log, and the caches that follow it. */
async function openApp(parts: AppSources, databaseUrl: string): Promise<Omit<AppParts, 'processId'>> {
  const { config, log, errors, metrics, tracing, roles, connections, extension, publicUrl, lifecycle } = parts
  const lookups = openChainLookups(config, { log, onOutcome: countLookups(metrics.registry) })
  const reads = roles.has('api') ? openReadRouting(config, { connections, metrics, log, tracing }) : null
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
    locationOf,
    maxEntries: rendersViews ? config.viewCacheEntries : 0,
    maxViewerSetsBytes: rendersViews ? config.viewerSetsMb * BYTES_PER_MB : 0,
    // Workers render what they send and read no feeds.
    maxRecentEntries: roles.has('api') && config.viewCacheEntries > 0 ? config.recentWindowEntries : 0,
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
  await warnOfMissingKeys(connections.read, vault, log)
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
    errors,
    work: openWork(config, { clock, metrics }),
    log,
    tracing,
    clock,
    publicUrl,
  }
}

function openWork(config: Config, { clock, metrics }: Pick<ServerApp, 'clock' | 'metrics'>): WorkLimits {
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
      recent_window: { entries: window.entries.size, bytes: window.byteLength },
    },
  }
}

function pools({ end, ...connections }: Connections): Readonly<Record<string, Database>> {
  return connections
}

/** Starts the modules of this process's roles in the order of the list. `services` is filled on the way. */
async function startModules(
  parts: AppParts,
  services: Partial<Services>,
  lifecycle: Lifecycle,
): Promise<StartedModule[]> {
  const app: ServerApp = {
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
  { connections, config, roles, tail, log, tracing, clock }: AppParts,
  lifecycle: Lifecycle,
): Promise<void> {
  const shards = config.hubShards
  for (const consumer of modules.flatMap((module) => module.consumers?.(clock) ?? [])) {
    await ensureCursors(connections.write, consumer, shards)
    if (roles.has('worker')) {
      const options = { db: connections.work, shards, tail, log, tracing, isBusy: isThreadBusy }
      lifecycle.onStop(startConsumer(consumer, options))
    }
  }
}

/** Started parts, which it stops in the reverse order. */
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
