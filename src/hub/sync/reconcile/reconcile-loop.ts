import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { UpstreamMetrics } from '../upstream-metrics.js'
import { type ReconcileOptions, reconcileAccount, total } from './reconcile.js'
import {
  addUnlistedFids,
  markCompared,
  queueLast,
  type ReconcileCandidate,
  readLeastRecentlyCompared,
  readQueuedFids,
} from './reconcile-queries.js'

export interface ReconcileLoopOptions extends ReconcileOptions {
  /** Users without a reason that are compared per minute; 0 for none. */
  readonly fidsPerMinute: number
  readonly log: Log
  readonly metrics: UpstreamMetrics
  /** True if only selected users are synced: others are not compared. */
  readonly isSubset: boolean
  /** Interval of polls of the queue. */
  readonly pollMs?: number
  /** Wait after a failure. */
  readonly retryMs?: number
}

const POLL_MS = 1_000
const MINUTE_MS = 60_000
/** Queued users compared at the same time. */
const QUEUE_CONCURRENCY = 4
const RETRY_MS = 5_000

/**
 * Reconciles users while this process syncs: queued ones at once, all others slowly in rotation, with those who have arrived
 * since the last round. A user that cannot be
 * compared waits behind all that are queued.
 */
export async function reconcileLoop(options: ReconcileLoopOptions): Promise<void> {
  const { db, signal, fidsPerMinute, log, pollMs = POLL_MS, retryMs = RETRY_MS } = options
  let budget = 0
  /** Time at which the users of this round were listed; null before the first. */
  let roundStart: Date | null = null
  const loggedKinds = new Set<string>()
  function warnOnce(error: unknown): void {
    if (signal.aborted) return
    const kind = error instanceof UpstreamFailure ? error.kind : `${error}`
    if (!loggedKinds.has(kind)) log.warn({ err: error }, 'reconciliation failed')
    loggedKinds.add(kind)
  }
  /** Returns the number of users that were compared. */
  async function compareAll(users: readonly ReconcileCandidate[]): Promise<number> {
    const outcomes = await Promise.allSettled(users.map((user) => compare(options, user)))
    for (const [index, outcome] of outcomes.entries()) {
      // A comparison that was stopped says nothing about its user.
      if (outcome.status === 'fulfilled' || signal.aborted) continue
      warnOnce(outcome.reason)
      await queueLast(db, users[index]!.fid)
    }
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }

  while (!signal.aborted) {
    try {
      const queued = await readQueuedFids(db, QUEUE_CONCURRENCY)
      const compared = await compareAll(queued)
      if (compared > 0 && compared === queued.length) loggedKinds.clear()
      if (compared > 0) continue
      budget = Math.min(1, budget + (fidsPerMinute * pollMs) / MINUTE_MS)
      if (budget >= 1) {
        const count = Math.max(1, Math.floor((fidsPerMinute * pollMs) / MINUTE_MS))
        const oldest = await readLeastRecentlyCompared(db, count)
        const isRoundOver = roundStart === null || oldest.every((user) => isComparedSince(user, roundStart))
        if (isRoundOver && !options.isSubset) roundStart = await addUnlistedFids(db)
        for (const user of oldest) if ((await compareAll([user])) > 0) loggedKinds.clear()
        budget = 0
      }
      await pause(queued.length > 0 ? retryMs : pollMs, signal)
    } catch (error) {
      warnOnce(error)
      await pause(retryMs, signal)
    }
  }
}

function isComparedSince({ comparedAt }: ReconcileCandidate, time: Date | null): boolean {
  return time !== null && comparedAt !== null && comparedAt >= time
}

async function compare(options: ReconcileLoopOptions, user: ReconcileCandidate): Promise<void> {
  const { missing, repaired, refused, extra } = await reconcileAccount(options, user.fid)
  await markCompared(options.db, user)
  const counts = { missing: total(missing), extra: total(extra) }
  options.metrics.compared(counts)
  if (counts.missing === 0 && counts.extra === 0) return
  const { fid, reconcileReason } = user
  const difference = { fid, reconcileReason, ...counts, repaired, refused: Object.fromEntries(refused) }
  options.log.info(difference, 'a user differed from the upstream')
}
