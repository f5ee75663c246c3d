import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { viewerOf } from '../../../api/viewer.js'
import type { RankedCast } from '../../../graph/query/feeds-ranked.js'
import type { Viewer } from '../../../graph/query/visibility-filter.js'
import { jsonArray } from '../../../graph/view/json.js'
import { type FeedContext, type FeedQuery, SPARE_CASTS } from './feed-page.js'

/** How a ranked feed is paged, for descriptions. */
export const rankNote =
  'Ages are counted from the moment of the first page on all pages, so that what does not change keeps its rank.'

/** Casts in the order of their ranks. */
export interface Ranking {
  /** The moment that ages are counted from, in Farcaster seconds. */
  readonly ts: number
  readonly casts: readonly RankedCast[]
}

/** Which part of a ranking is wanted, and who looks. */
export interface RankingPageRequest extends Viewer {
  /** That of the first page; null at the beginning. */
  readonly ts: number | null
  /** The last one that was seen; null at the beginning. */
  readonly after: RankedCast | null
  /** Most casts. */
  readonly count: number
}

/** Makes pages of a ranked feed as JSON. Their cursors hold the moment of the first page. */
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
    // Behind a page that many hidden casts have made short, the ranking goes on where it was read to.
    const lastRead = ranking.casts.length === count ? ranking.casts.at(-1) : undefined
    const end = hasMore ? ranking.casts[lastIndex] : lastRead
    const next = { cursor: end ? cursors.encode([ranking.ts, end.rank, end.hash]) : null }
    return `{"casts":${jsonArray(casts)},"next":${JSON.stringify(next)}}`
  }
}

/** Whether a cast stands behind the last one that was seen. */
export function isAfterCursor(cast: RankedCast, after: RankedCast | null): boolean {
  if (!after) return true
  return cast.rank < after.rank || (cast.rank === after.rank && cast.hash < after.hash)
}
