import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { viewerOf } from '../../../api/viewer.js'
import type { RankedCast } from '../../../graph/query/feeds-ranked.js'
import type { Viewer } from '../../../graph/query/visibility-filter.js'
import { jsonArray } from '../../../graph/view/json.js'
import { type FeedContext, type FeedQuery, SPARE_CASTS } from './feed-page.js'

/** The part of a description that explains ranked paging. */
export const rankNote =
  'All pages compute ages for the time of the first page, so that ranks are stable while paging.'

/** Casts ordered by rank. */
export interface Ranking {
  /** The time that ages are computed for, in Farcaster seconds. */
  readonly ts: number
  readonly casts: readonly RankedCast[]
}

/** A page of a ranking, and its viewer. */
export interface RankingPageRequest extends Viewer {
  /** The time of the first page; null for the first page. */
  readonly ts: number | null
  /** The last cast of the page before; null for the first page. */
  readonly after: RankedCast | null
  /** The maximum number of casts. */
  readonly count: number
}

/** Creates the function that renders pages of a ranked feed. Cursors hold the time of the first page. */
export function rankedPages(name: string) {
  const cursors = cursorKind(name, keyPart.integer, keyPart.number, keyPart.hex)

  return async (
    { db, hydrator }: FeedContext,
    caller: Caller,
    query: FeedQuery,
    read: (pageRequest: RankingPageRequest) => Promise<Ranking>,
  ): Promise<string> => {
    const { limit, viewer_fid: viewerFid } = query
    const viewer = await viewerOf({ db, hydrator }, caller, viewerFid)
    const key = cursors.decode(query.cursor)
    const count = limit + SPARE_CASTS + 1
    const after = key && { rank: key[1], hash: key[2] }
    const ranking = await read({ ts: key?.[0] ?? null, after, count, ...viewer })
    const { casts, lastIndex, hasMore } = await hydrator.firstVisibleCasts(
      ranking.casts.map(({ hash }) => hash),
      limit,
      viewer,
    )
    // If hidden casts shorten the page, the next one starts where reading stopped.
    const lastRead = ranking.casts.length === count ? ranking.casts.at(-1) : undefined
    const end = hasMore ? ranking.casts[lastIndex] : lastRead
    const next = { cursor: end ? cursors.encode([ranking.ts, end.rank, end.hash]) : null }
    return `{"casts":${jsonArray(casts)},"next":${JSON.stringify(next)}}`
  }
}

/** Whether a cast comes after the cursor. */
export function isAfterCursor(cast: RankedCast, after: RankedCast | null): boolean {
  if (!after) return true
  return cast.rank < after.rank || (cast.rank === after.rank && cast.hash < after.hash)
}
