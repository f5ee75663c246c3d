import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { startLogBroadcast } from '../features/processes/logs/log-broadcast.js'
import { registerProcess } from '../features/processes/process-registry.js'
import type { Hub } from '../hub/hub.js'
import { startConsumer } from '../hub/log/consumer.js'
import { ensureCursors } from '../hub/log/consumer-batch.js'
import { countConsumerGaps } from '../hub/log/log-metrics.js'
import type { MergeHook } from '../hub/merge/merge.js'
import { shardNumbers } from '../hub/shard-count.js'
import { warnIfCollationChanged } from '../platform/db/collation-version.js'
import type { Database } from '../platform/db/connection.js'
import { isConnectionRefused, isUnavailable } from '../platform/db/connection-errors.js'
import { parseDatabaseUrl } from '../platform/db/database-url.js'
import { type OpeningOptions, openServerDatabase, STARTUP_LIMIT_MS } from '../platform/db/open-database.js'
import { warnIfAsynchronous } from '../platform/db/synchronous-standbys.js'
import { ErrorJournal, journaled } from '../platform/log/error-journal.js'
import { LogFeed, recorded } from '../platform/log/log-feed.js'
import { createMetrics } from '../platform/metrics.js'
import { pause } from '../platform/process/pause.js'
import { parseRoles, type Role } from '../platform/process/roles.js'
import { isThreadBusy } from '../platform/process/thread-load.js'
import { createJobMetrics } from '../platform/scheduler/job-metrics.js'
import { JobRuns } from '../platform/scheduler/job-runs.js'
import { startScheduledJobs } from '../platform/scheduler/scheduled-jobs.js'
import type { Config } from './config/config.js'
import { openConnections, splitConnections } from './connections.js'
import { diskSpaceJob } from './disk-space.js'
import { findIdleRoles } from './idle-roles.js'
import { Lifecycle } from './lifecycle.js'
import type { Module, ServerApp, Services, StartedModule } from './module.js'
import { modules } from './modules.js'
import { type AppParts, openApp } from './open-app.js'
import { openTracing } from './open-tracing.js'
import { measuresJob } from './process-measures.js'
import { type ServerUrls, startServers } from './servers.js'
import { watchShortages } from './shortages.js'

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
  /** Called before an embedded PostgreSQL starts, for a process that is stopped at once while it starts. */
  readonly onDatabaseStart?: OpeningOptions['onStart']
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
  let deadline = performance.now() + STARTUP_LIMIT_MS
  let isOpen = false
  // Migrations may take longer than a database has that is away.
  const onDatabaseOpen = () => {
    if (!isOpen) deadline = performance.now() + STARTUP_LIMIT_MS
    isOpen = true
  }
  for (;;) {
    const lifecycle = new Lifecycle()
    try {
      return await compose(config, log, { ...extension, onDatabaseOpen }, lifecycle)
    } catch (error) {
      await lifecycle.stop()
      if (extension.signal?.aborted) throw extension.signal.reason
      const isAway = isUnavailable(error) && !isConnectionRefused(error)
      if (!isAway || performance.now() >= deadline) throw error
      log.warn({ err: error }, 'the database stopped answering: starting again')
      await pause(RESTART_MS, extension.signal)
    }
  }
}

async function compose(
  config: Config,
  logger: Logger,
  extension: ServerExtension & { readonly onDatabaseOpen: () => void },
  lifecycle: Lifecycle,
): Promise<RunningServer> {
  const metrics = createMetrics()
  const tracing = await openTracing(config, logger, metrics.registry)
  lifecycle.onStop(() => tracing.stop(config.shutdownTimeoutMs / 3))
  const { signal, onDatabaseStart: onStart, mergeHooks: extraHooks } = extension
  const database = await openServerDatabase(config, logger, { signal, onStart })
  lifecycle.onStop(database.close)
  extension.onDatabaseOpen()
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
  const namesOthers = Boolean(config.databaseReplicaUrl) || parseDatabaseUrl(database.url).hosts.length > 1
  await warnIfAsynchronous(connections.read, logger, namesOthers)
  await warnIfCollationChanged(connections.read, logger)
  await extension.prepare?.(connections.write)
  let mainUrl = ''
  const publicUrl = () => config.publicUrl ?? mainUrl
  const errors = new ErrorJournal(Date.now)
  const feed = new LogFeed(Date.now)
  const log = recorded(journaled(logger, errors), feed)
  const opened = await openApp(
    { config, log, errors, metrics, tracing, roles, connections, extraHooks, publicUrl, lifecycle },
    database.url,
  )
  const details = { roles, connections: config.databasePool, idleRoles: findIdleRoles(config) }
  const processes = await registerProcess(connections.write, details, log)
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
  }
}

function startJobs(app: AppParts, started: readonly StartedModule[], lifecycle: Lifecycle): void {
  const { connections, processId, log, metrics, config } = app
  const runs = new JobRuns(app.clock, createJobMetrics(metrics.registry))
  const jobs = [
    ...started.flatMap((module) => module.jobs ?? []),
    measuresJob(app),
    ...(config.databaseUrl === undefined ? [diskSpaceJob(config.dataDir, log)] : []),
    {
      name: 'runs of jobs',
      everyMs: JOB_RUNS_FLUSH_MS,
      perProcess: true,
      run: () => runs.flush(connections.write, processId),
    },
  ]
  const stop = startScheduledJobs(jobs, { locks: connections.locks, log, runs })
  lifecycle.onStop(async () => {
    const stopped = stop()
    for (const module of started) module.cancelJobs?.()
    await stopped
  })
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
  { connections, config, roles, tail, log, tracing, metrics, clock }: AppParts,
  lifecycle: Lifecycle,
): Promise<void> {
  const shards = config.hubShards
  const onGap = countConsumerGaps(metrics)
  for (const consumer of modules.flatMap((module) => module.consumers?.(clock) ?? [])) {
    await ensureCursors(connections.write, consumer, shardNumbers(shards))
    if (roles.has('worker')) {
      const options = { db: connections.work, shards, tail, log, tracing, isBusy: isThreadBusy, onGap }
      lifecycle.onStop(startConsumer(consumer, options))
    }
  }
}
