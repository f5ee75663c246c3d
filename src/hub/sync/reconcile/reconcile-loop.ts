import { isBeyondLimits, isTemporary } from '../../../platform/db/connection-errors.js'
import { MINUTE_MS } from '../../../platform/durations.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { withAnswerTimeout } from '../client/upstreams.js'
import type { Selection } from '../subset/selected-users.js'
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
  /** Users that are not selected are not compared. */
  readonly selection: Selection
  /** Interval of polls of the queue. */
  readonly pollMs?: number
  /** Wait after a failure. */
  readonly retryMs?: number
  /** Wait of a user whom the upstream could not list. */
  readonly userRetryMs?: number
  /** Longest time to wait for an answer about a user. */
  readonly answerTimeoutMs?: number
}

const POLL_MS = 1_000
/** Queued users compared at the same time. */
const QUEUE_CONCURRENCY = 4
/** Most users without a reason that are compared before the queue is looked at again. */
const MAX_CYCLE_USERS = 10
const RETRY_MS = 5_000
const USER_RETRY_MS = 10 * MINUTE_MS
/** Shorter than elsewhere: a failed comparison is repeated anyway, and other users wait for it. */
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Reconciles users while this process syncs: queued ones at once, all others slowly in rotation, with those who have arrived
 * since the last round. A user whom the upstream cannot list is asked for again after some minutes, and does not keep others
 * waiting until then. While the upstream is not reached, those that were tried wait behind all that are queued.
 */
export async function reconcileLoop(options: ReconcileLoopOptions): Promise<void> {
  const { db, signal, fidsPerMinute, log } = options
  const { pollMs = POLL_MS, retryMs = RETRY_MS, userRetryMs = USER_RETRY_MS } = options
  const upstreams = withAnswerTimeout(options.upstreams, options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS)
  const rate = createComparisonRate(fidsPerMinute, () => performance.now())
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
    const outcomes = await Promise.allSettled(users.map((user) => compare({ ...options, upstreams }, user)))
    for (const [index, outcome] of outcomes.entries()) {
      // A comparison that was stopped says nothing about its user.
      if (outcome.status === 'fulfilled' || signal.aborted) continue
      warnOnce(outcome.reason)
      await queueLast(db, users[index]!, isOfUser(outcome.reason) ? userRetryMs : 0)
    }
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }

  while (!signal.aborted) {
    try {
      const queued = await readQueuedFids(db, QUEUE_CONCURRENCY)
      const compared = await compareAll(queued)
      if (compared > 0 && compared === queued.length) loggedKinds.clear()
      if (compared > 0) continue
      const due = rate.take(MAX_CYCLE_USERS)
      if (due > 0) {
        const oldest = await readLeastRecentlyCompared(db, due)
        const isRoundOver = roundStart === null || oldest.every((user) => isComparedSince(user, roundStart))
        if (isRoundOver && !options.selection.isSubset) roundStart = await addUnlistedFids(db)
        for (const user of oldest) if ((await compareAll([user])) > 0) loggedKinds.clear()
      }
      if (queued.length > 0) await pause(retryMs, signal)
      else if (due < MAX_CYCLE_USERS) await pause(pollMs, signal)
    } catch (error) {
      warnOnce(error)
      await pause(retryMs, signal)
    }
  }
}

/**
 * Counts the users that are due for a comparison: so many per minute of a monotonic clock in milliseconds, and those of one
 * minute at most. Parts of a user are counted as integers: sums of fractions are not exact.
 */
export function createComparisonRate(usersPerMinute: number, clock: () => number) {
  let parts = 0
  let countedMs = Math.floor(clock())
  return {
    /** Takes users that are due, and returns their number. */
    take(most: number): number {
      const nowMs = Math.floor(clock())
      parts = Math.min(parts + usersPerMinute * (nowMs - countedMs), (usersPerMinute + 1) * MINUTE_MS - 1)
      countedMs = nowMs
      const taken = Math.min(most, Math.floor(parts / MINUTE_MS))
      parts -= taken * MINUTE_MS
      return taken
    },
  }
}

/**
 * Whether a failure may be due to what is stored of its user: the upstream was reached, and so was the database, or a statement
 * about the user has reached a limit.
 */
function isOfUser(error: unknown): boolean {
  return error instanceof UpstreamFailure
    ? error.mayBeRequestFault
    : !isTemporary(error) || isBeyondLimits(error)
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
