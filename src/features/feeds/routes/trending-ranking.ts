import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { readTrending, type TrendingSelection } from '../../../graph/query/feeds-ranked.js'
import type { Database } from '../../../platform/db/connection.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { Ranking } from './ranked-page.js'

/** A ranking is computed at most once in this many seconds. */
const EVERY_SECONDS = 30
/** Cursors into a ranking work this long. */
const MAX_AGE_MS = 60_000
/** Casts in a ranking. Its pages end there. */
export const RANKING_LENGTH = 200

interface Context {
  readonly db: Database
  readonly hydrator: Hydrator
  readonly clock: () => number
}

/**
 * Reads the cached trending ranking. While a new one is computed, the one before is served.
 *
 * @param ts The time of the ranking being paged, in Farcaster seconds; null for the first page.
 */
export async function trendingRanking(
  { db, hydrator: { singleFlight }, clock }: Context,
  selection: TrendingSelection,
  ts: number | null,
): Promise<Ranking> {
  const computeRanking = (timestamp: number) =>
    readTrending(db, selection, { ts: timestamp, count: RANKING_LENGTH })
  const now = farcasterSecondsFromUnixMs(clock())
  if (!singleFlight) return { ts: ts ?? now, casts: await computeRanking(ts ?? now) }
  const cacheKeyAt = (timestamp: number) => `trending ${timestamp} ${JSON.stringify(selection)}`
  const rankingAt = (timestamp: number) =>
    singleFlight.read(cacheKeyAt(timestamp), MAX_AGE_MS, async () => ({
      value: await computeRanking(timestamp),
      tags: [],
    }))
  const timestamp = (ts ?? now) - ((ts ?? now) % EVERY_SECONDS)
  const before = timestamp - EVERY_SECONDS
  if (ts === null && !singleFlight.has(cacheKeyAt(timestamp)) && singleFlight.has(cacheKeyAt(before))) {
    // A failure is reported to the request that waits for this ranking.
    rankingAt(timestamp).catch(() => {})
    return { ts: before, casts: await rankingAt(before) }
  }
  return { ts: timestamp, casts: await rankingAt(timestamp) }
}
