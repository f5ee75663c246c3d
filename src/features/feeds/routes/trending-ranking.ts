import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { readTrending, type TrendingSelection } from '../../../graph/query/feeds-ranked.js'
import type { Database } from '../../../platform/db/connection.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { Ranking } from './ranked-page.js'

/** A ranking of what is talked about is made at most every so many seconds. */
const EVERY_SECONDS = 30
/** Its pages follow it for so long. */
const KEPT_MS = 60_000
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
  { db, hydrator: { shared }, clock }: Context,
  selection: TrendingSelection,
  ts: number | null,
): Promise<Ranking> {
  const make = (moment: number) => readTrending(db, selection, { ts: moment, count: RANKING_LENGTH })
  const now = farcasterSecondsFromUnixMs(clock())
  if (!shared) return { ts: ts ?? now, casts: await make(ts ?? now) }
  const keyOf = (moment: number) => `trending ${moment} ${JSON.stringify(selection)}`
  const at = (moment: number) =>
    shared.read(keyOf(moment), KEPT_MS, async () => ({ value: await make(moment), tags: [] }))
  const moment = (ts ?? now) - ((ts ?? now) % EVERY_SECONDS)
  const before = moment - EVERY_SECONDS
  if (ts === null && !shared.has(keyOf(moment)) && shared.has(keyOf(before))) {
    // If it fails, it fails for whoever has to wait for it.
    at(moment).catch(() => {})
    return { ts: before, casts: await at(before) }
  }
  return { ts: moment, casts: await at(moment) }
}
