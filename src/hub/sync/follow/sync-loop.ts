import { status } from '@grpc/grpc-js'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import type { ReorderBufferOptions } from '../../reorder-buffer.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { readShards, type Upstreams } from '../client/upstreams.js'
import { queueAllUsers, UpstreamRefusalLog } from '../reconcile-queue.js'
import type { Selection } from '../subset/selected-users.js'
import type { UpstreamMetrics } from '../upstream-metrics.js'
import { LOG_GAP, readUnnamedShards } from './cursors.js'
import { requireNetwork } from './require-network.js'
import { ShardSync, type ShardSyncOptions } from './shard-sync.js'
import { startShards } from './start-shards.js'

export interface SyncOptions {
  /** Holds one connection while this process syncs. */
  readonly db: Database
  readonly upstreams: Upstreams
  readonly hub: ReorderBufferOptions['hub']
  /** The upstreams belong to the same operator: their signatures are not checked again. */
  readonly trusted: boolean
  readonly selection: Selection
  readonly log: Log
  readonly metrics: UpstreamMetrics
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Runs while this process holds the sync lock. */
  readonly background?: (signal: AbortSignal) => Promise<void>
  /** After this time without events the end of the log is checked. */
  readonly idleMs?: number
}

/** One process of a database syncs; another takes over when it stops. */
const LOCK = 'plaza sync'
const LOCK_RETRY_MS = 2_000
/** Interval of checks that the connection with the lock is alive. */
const LOCK_CHECK_MS = 5_000
/** Wait between attempts, doubling from the first to the last; resets when events arrive. */
const RETRY_MS = { first: 50, last: 5_000 }

/** Follows an upstream until stopped, and recovers from all failures. @returns a function that stops it. */
export function startSync(options: SyncOptions): () => Promise<void> {
  const stopping = new AbortController()
  const running = syncLoop(options, stopping.signal)
  return async () => {
    stopping.abort()
    await running
  }
}

type LockedSyncOptions = SyncOptions & Pick<ShardSyncOptions, 'session'>

async function syncLoop(options: SyncOptions, signal: AbortSignal): Promise<void> {
  const { db, log } = options
  let isFailing = false
  while (!signal.aborted) {
    try {
      await withLock(db, signal, async (session, lockSignal) => {
        await options.selection.takeOver()
        isFailing = false
        await Promise.all([
          syncWithLock({ ...options, session }, lockSignal),
          options.background?.(lockSignal),
        ])
      })
      isFailing = false
    } catch (error) {
      if (!signal.aborted && !isFailing) log.error({ err: error }, 'sync restarts')
      isFailing = true
    }
    await pause(LOCK_RETRY_MS, signal)
  }
}

/** Runs `work` while this process holds the lock; returns at once if another process holds it. */
async function withLock(
  db: Database,
  signal: AbortSignal,
  work: (session: Queryable, lockSignal: AbortSignal) => Promise<void>,
): Promise<void> {
  const session = await db.reserve()
  try {
    const [row] = await session<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(hashtext(${LOCK})) as locked`
    if (!row?.locked) return
    const lockLost = new AbortController()
    const lockSignal = AbortSignal.any([signal, lockLost.signal])
    const working = work(session, lockSignal).finally(() => lockLost.abort())
    // It is awaited below: until then a failure would end the process.
    working.catch(() => {})
    while (!lockSignal.aborted) {
      await pause(LOCK_CHECK_MS, lockSignal)
      if (!lockSignal.aborted) await session`select 1`.catch(() => lockLost.abort())
    }
    await working
  } finally {
    await session`select pg_advisory_unlock_all()`.catch(() => {})
    session.release()
  }
}

async function syncWithLock(options: LockedSyncOptions, signal: AbortSignal): Promise<void> {
  const { upstreams, log, metrics } = options
  const refusals = new UpstreamRefusalLog(log)
  const partialUpstreams = new Set<string>()
  let delayMs = RETRY_MS.first
  let failures = 0
  let connectedClient: UpstreamClient | null = null
  const loggedKinds = new Set<string>()
  while (!signal.aborted) {
    const client = upstreams.current()
    const onConnected = (shards: number) => {
      if (connectedClient !== client) log.info({ upstream: client.address, shards }, 'sync started')
      connectedClient = client
    }
    const onProgress = () => {
      if (failures > 0) log.info({ upstream: client.address, failures }, 'sync resumed')
      failures = 0
      loggedKinds.clear()
      delayMs = RETRY_MS.first
    }
    try {
      await syncOnce(client, options, { partialUpstreams, refusals, signal, onConnected, onProgress })
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      const { code = undefined } = error instanceof UpstreamFailure ? error : {}
      metrics.disconnected(code === undefined ? 'error' : (status[code] ?? `${code}`))
      // Each kind of failure is logged once until the sync resumes.
      const kind = error instanceof UpstreamFailure ? error.kind : `${error}`
      if (!loggedKinds.has(kind)) log.warn({ err: error, upstream: client.address }, 'sync failed')
      loggedKinds.add(kind)
      // With a fault of the database here, another upstream would fare no better.
      if (error instanceof UpstreamFailure) upstreams.failOver(client)
    }
    await pause(delayMs, signal)
    delayMs = Math.min(RETRY_MS.last, delayMs * 2)
  }
}

/**
 * Leaves an upstream that does not name shards which were followed, once: another one, or another node behind its balancer, may
 * have them. At the second look it was set up anew with fewer shards, and users may lack what the others had.
 */
async function requireShards(
  client: UpstreamClient,
  shards: readonly number[],
  { db, log, selection: { isSubset } }: LockedSyncOptions,
  partialUpstreams: Set<string>,
): Promise<void> {
  const { address } = client
  const missing = await readUnnamedShards(db, address, shards)
  if (missing.length > 0 && !partialUpstreams.has(address)) {
    partialUpstreams.add(address)
    const details = `it does not name shards that were followed: ${missing.join(', ')}`
    throw new UpstreamFailure(status.UNAVAILABLE, address, details)
  }
  partialUpstreams.delete(address)
  if (missing.length === 0) return
  log.error(
    { upstream: address, shards: missing },
    'the upstream no longer names shards: they are not followed',
  )
  await queueAllUsers(db, { isSubset, reason: LOG_GAP })
}

interface SyncAttempt {
  /** Upstreams that have named too few shards at the last look. */
  readonly partialUpstreams: Set<string>
  readonly refusals: UpstreamRefusalLog
  readonly signal: AbortSignal
  /** Called with the number of shards when the upstream answers. */
  readonly onConnected: (shards: number) => void
  readonly onProgress: () => void
}

/** Follows all shards of one upstream. When one ends, all end: the next upstream may have other shards. */
async function syncOnce(
  client: UpstreamClient,
  options: LockedSyncOptions,
  { partialUpstreams, refusals, signal, onConnected, onProgress }: SyncAttempt,
): Promise<void> {
  const ended = new AbortController()
  const syncSignal = AbortSignal.any([signal, ended.signal])
  const shards = await readShards(client, syncSignal)
  await requireNetwork(options.db, client, shards, syncSignal)
  await requireShards(client, shards, options, partialUpstreams)
  onConnected(shards.length)
  const starts = await startShards(options, client, shards, syncSignal)
  const shardSyncs = [...starts].map(([shard, start]) =>
    new ShardSync({
      ...options,
      client,
      shard,
      start,
      shards: shards.length,
      hasOtherUpstreams: options.upstreams.count > 1,
      refusals,
      signal: syncSignal,
      stopSignal: signal,
      onProgress,
    })
      .run()
      .finally(() => {
        ended.abort()
      }),
  )
  const outcomes = await Promise.allSettled(shardSyncs)
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  // The failed shard cancels the others.
  const isCancelled = (error: unknown) => error instanceof UpstreamFailure && error.code === status.CANCELLED
  if (failures.length > 0) throw failures.find((failure) => !isCancelled(failure)) ?? failures[0]
}
