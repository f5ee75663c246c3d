import { startCacheFollower } from '../graph/cache/cache-follower.js'
import {
  type CacheUsage,
  countFeedReads,
  observeCaches,
  observeWindow,
} from '../graph/cache/cache-metrics.js'
import { Hydrator } from '../graph/cache/hydrator.js'
import { startWindowLoader } from '../graph/cache/recent/window-loader.js'
import { countLogResets, observeEventLag } from '../hub/log/log-metrics.js'
import { createEventTail } from '../hub/log/tail.js'
import type { MergeHook } from '../hub/merge/merge.js'
import type { Database } from '../platform/db/connection.js'
import { locationOf } from '../platform/geo/cities.js'
import { createWorkLimits, type WorkLimits } from '../platform/limits/work-limits.js'
import { observeWork } from '../platform/limits/work-metrics.js'
import { observePools } from '../platform/metrics.js'
import { rendersViews } from '../platform/process/roles.js'
import type { Config } from './config/config.js'
import type { Connections } from './connections.js'
import { lookForMissingKeys } from './encrypted-columns.js'
import type { Lifecycle } from './lifecycle.js'
import type { ServerApp } from './module.js'
import { openHub } from './open-hub.js'
import { countLookups, openChainLookups } from './open-lookups.js'
import { openReadRouting, writersOf } from './open-read-routing.js'
import { openVault } from './open-vault.js'

const BYTES_PER_MB = 2 ** 20

/** Parts that modules work with, without the services that they give each other. */
export type AppParts = Omit<ServerApp, 'service'>

interface AppSources
  extends Pick<
    ServerApp,
    'config' | 'log' | 'errors' | 'metrics' | 'tracing' | 'roles' | 'connections' | 'publicUrl'
  > {
  /** Run in every merge's transaction, after those of the modules. */
  readonly extraHooks: readonly MergeHook[] | undefined
  readonly lifecycle: Lifecycle
}

/** Opens what every module works with: the hub, the tail of its log, and the caches that follow it. */
export async function openApp(parts: AppSources, databaseUrl: string): Promise<Omit<AppParts, 'processId'>> {
  const { config, log, errors, metrics, tracing, roles, connections, extraHooks, publicUrl, lifecycle } =
    parts
  const lookups = openChainLookups(config, { log, onOutcome: countLookups(metrics.registry) })
  const reads = roles.has('api') ? openReadRouting(config, { connections, metrics, log, tracing }) : null
  if (reads) lifecycle.onStop(reads.stop)
  const { hub, close } = await openHub({
    log,
    config,
    lookups,
    writerDb: connections.write,
    countMerge: (type, outcome) => metrics.merges.inc({ type, outcome }),
    extraHooks,
    onCommitted: (events) => {
      hydrator.invalidation.applyCommitted(events)
      reads?.routing.wrote(writersOf(events))
    },
  })
  lifecycle.onStop(close)
  observeEventLag(metrics, hub.queued)
  observePools(metrics, pools(connections))
  const { read: db, listener } = connections
  const tail = createEventTail(db, { log, onReset: countLogResets(metrics), listener })
  lifecycle.onStop(() => tail.close())
  const hasViews = rendersViews(roles)
  const hydrator = new Hydrator({
    db: connections.views,
    listDb: connections.read,
    clock: Date.now,
    locationOf,
    maxViews: hasViews ? config.viewCacheEntries : 0,
    maxViewerSetsBytes: hasViews ? config.viewerSetsMb * BYTES_PER_MB : 0,
    // Workers render what they send and read no feeds.
    maxRecentEntries: roles.has('api') && config.viewCacheEntries > 0 ? config.recentWindowEntries : 0,
    onFeedRead: countFeedReads(metrics),
  })
  observeCaches(metrics, () => usageOf(hydrator))
  if (hasViews) {
    const { invalidation, window } = hydrator
    const shards = config.hubShards
    lifecycle.onStop(await startCacheFollower({ db, listener, invalidation, tail, shards, log }))
    if (window.maxEntries > 0) keepWindowFilled(hydrator, parts)
  }
  const vault = await openVault(config)
  if (hasViews) void lookForMissingKeys(connections.work, vault, log)
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
    workLimits: openWorkLimits(config, { clock, metrics }),
    log,
    tracing,
    clock,
    publicUrl,
  }
}

/** Fills the window of recent casts in the background, until the server stops. */
function keepWindowFilled(
  { window, invalidation: { blocks } }: Hydrator,
  { connections, metrics, log, lifecycle }: AppSources,
): void {
  observeWindow(metrics, () => window.isFilled)
  lifecycle.onStop(startWindowLoader({ db: connections.work, blocks, window, clock: Date.now, log }))
}

function openWorkLimits(
  config: Config,
  { clock, metrics }: Pick<ServerApp, 'clock' | 'metrics'>,
): WorkLimits {
  const limits: WorkLimits = createWorkLimits({
    clock,
    budgetMs: config.workRateLimit,
    concurrency: config.workConcurrency,
    onRefused: observeWork(metrics, () => limits.usage()),
  })
  return limits
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
