import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { readTrending, type TrendingSelection } from '../../../graph/query/feeds-ranked.js'
import type { Database } from '../../../platform/db/connection.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { Ranking } from './ranked-page.js'

/** A ranking of what is talked about is made at most every so many seconds. */
const EVERY_SECONDS = 30
/** Its pages follow it for so long. */
const MAX_AGE_MS = 60_000
/** As many casts as it has: pages end there. */
export const RANKING_LENGTH = 200

interface Context {
  readonly db: Database
  readonly hydrator: Hydrator
  readonly clock: () => number
}

/**
 * What is talked about, for nobody in particular. While the ranking of a moment is being made, that of the moment
 * before is shown, so that hardly anybody waits for one.
 *
 * @param ts The moment of the ranking that is being paged through, in Farcaster seconds; null at the beginning.
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
    // If it fails, it fails for whoever has to wait for it.
    rankingAt(timestamp).catch(() => {})
    return { ts: before, casts: await rankingAt(before) }
  }
  return { ts: timestamp, casts: await rankingAt(timestamp) }
}
