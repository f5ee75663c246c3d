import { invalidField } from '../../../api/invalid-field.js'
import type { Database } from '../../../platform/db/connection.js'
import { HOUR_SECONDS } from '../../../platform/durations.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { OperationContext } from '../../operation.js'

/** A ranking is computed at most once in this many seconds. */
const EVERY_SECONDS = 30
/** A ranking is cached this long. Cursors into an older one compute it again. */
const MAX_AGE_MS = 60_000
/** Cursors into a ranking work this long: a reader scrolls on for some minutes, while a ranking of 34,000 casts takes 160 ms. */
const MAX_CURSOR_AGE_SECONDS = HOUR_SECONDS
/** Clocks of processes behind one address differ by less. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 30

/**
 * Reads a cached ranking. While a new one is computed, the one before is served. Throws a 400 for the time of a cursor that
 * is too old or in the future.
 *
 * @param name What is ranked; part of the key of the cache.
 * @param ts The time of the ranking being paged, in Farcaster seconds; null for the first page.
 */
export async function cachedRanking<Row>(
  { hydrator: { singleFlight }, clock }: Pick<OperationContext, 'hydrator' | 'clock'>,
  name: string,
  ts: number | null,
  compute: (db: Database, timestamp: number) => Promise<readonly Row[]>,
): Promise<{ readonly ts: number; readonly rows: readonly Row[] }> {
  const now = farcasterSecondsFromUnixMs(clock())
  // Each time is a ranking to compute, so a made-up cursor may not choose it freely.
  if (ts !== null && ts > now + MAX_CLOCK_DIFFERENCE_SECONDS)
    throw invalidField('cursor', 'is not a cursor of this list')
  if (ts !== null && ts < now - MAX_CURSOR_AGE_SECONDS) throw invalidField('cursor', 'is older than an hour')

  const cacheKeyAt = (timestamp: number) => `${name} at ${timestamp}`
  const rankingAt = (timestamp: number) =>
    singleFlight.readUntagged(cacheKeyAt(timestamp), MAX_AGE_MS, (db) => compute(db, timestamp))
  const timestamp = (ts ?? now) - ((ts ?? now) % EVERY_SECONDS)
  const before = timestamp - EVERY_SECONDS
  if (ts === null && !singleFlight.has(cacheKeyAt(timestamp)) && singleFlight.has(cacheKeyAt(before))) {
    // A failure is reported to the request that waits for this ranking.
    rankingAt(timestamp).catch(() => {})
    return { ts: before, rows: await rankingAt(before) }
  }
  return { ts: timestamp, rows: await rankingAt(timestamp) }
}
