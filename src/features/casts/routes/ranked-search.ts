import type { Caller } from '../../../api/caller.js'
import type { CastSearch } from '../../../graph/query/cast-search.js'
import {
  byRank,
  type FoundCast,
  fuseRankings,
  type RankedSearchRequest,
  rankByActivity,
  rankByMeaning,
  rankByWords,
  rankCastsByActivity,
} from '../../../graph/query/cast-search-ranked.js'
import type { Json } from '../../../graph/view/json.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { FeedQuery } from '../../feeds/routes/feed-page.js'
import { isAfterCursor, rankedPages } from '../../feeds/routes/ranked-feeds.js'
import type { OperationContext } from '../../operation.js'

/** The part of a description that explains ranked searches. */
export const rankedSearchNote = [
  '`sort_type=algorithmic` ranks the newest 2,000 casts found by `(1 + likes + 2 * recasts + 2 * quotes + 3 * replies) /',
  '(age in hours + 2)^1.5`. `semantic` finds the 200 casts whose meaning is nearest to the text among the newest 20,000',
  'that the filters let through; `hybrid` merges them with the 200 best of the newest 2,000 with the words, by reciprocal',
  'rank fusion: each list adds `1 / (60 + place)`. Casts after the first page are not added while paging, but each page ranks',
  'anew: with `algorithmic`, a cast that rises over the cursor is missing from the next pages; with `hybrid`, some are missing',
  'if casts before them are removed or hidden, and some come again if casts get their vector meanwhile.',
].join(' ')

const modes = ['literal', 'semantic', 'hybrid'] as const
const orders = ['desc_chron', 'chron', 'algorithmic', 'relevance'] as const
export type SearchMode = (typeof modes)[number]
export type SearchOrder = (typeof orders)[number]

const pages = new Map(
  modes.flatMap((mode) =>
    orders.map((order) => [`${mode} ${order}`, rankedPages(`cast/search: ${mode} ${order}`)] as const),
  ),
)

/** A search, and how it is ranked. */
interface RankedSearch {
  readonly search: CastSearch
  readonly mode: SearchMode
  readonly order: SearchOrder
  /** Whether there is nothing to search for. */
  readonly isEmpty: boolean
}

/** Renders a page of a search that is not read in order of time. */
export function rankedSearch(
  { db, hydrator, clock, ai }: Pick<OperationContext, 'db' | 'hydrator' | 'clock' | 'ai'>,
  caller: Caller,
  query: FeedQuery,
  { search, mode, order, isEmpty }: RankedSearch,
): Promise<Json> {
  const rank = async (request: RankedSearchRequest): Promise<FoundCast[]> => {
    if (isEmpty) return []
    if (mode === 'literal') return rankByActivity(db, search, request)
    const vector = await ai.embed!(caller, search.terms.plainText)
    const byMeaning = await rankByMeaning(db, search, { model: ai.embeddingModel!, vector }, request)
    const found =
      mode === 'semantic' ? byMeaning : fuseRankings(byMeaning, await rankByWords(db, search, request))
    if (order === 'algorithmic')
      return rankCastsByActivity(
        db,
        found.map(({ hash }) => hash),
        request.ts,
      )
    if (order === 'relevance') return found
    const direction = order === 'chron' ? -1 : 1
    return found.map((cast) => ({ ...cast, rank: direction * cast.ts })).toSorted(byRank)
  }
  const page = pages.get(`${mode} ${order}`)!
  return page({ hydrator }, caller, query, async ({ ts, after, count, ...viewer }) => {
    const now = ts ?? farcasterSecondsFromUnixMs(clock())
    const casts = await rank({ ...viewer, ts: now })
    return { ts: now, casts: casts.filter((cast) => isAfterCursor(cast, after)).slice(0, count) }
  })
}
