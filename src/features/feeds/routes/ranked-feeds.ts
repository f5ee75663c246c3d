import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, isPastLastPage, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { listJson } from '../../../api/list-json.js'
import { choiceParameter, fidParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { channelTags } from '../../../graph/cache/cache-tags.js'
import { readHiddenInChannel } from '../../../graph/query/feeds-by-parent.js'
import { readForYouFeed, readTrending, type TrendingSelection } from '../../../graph/query/feeds-ranked.js'
import { forYouWindow, type RankedCast } from '../../../graph/query/ranks.js'
import type { Viewer } from '../../../graph/query/visibility-filter.js'
import type { Json } from '../../../graph/view/json.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { type WorkPrice, workPrices } from '../../../platform/limits/work-prices.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { trendWindowNames, trendWindows } from '../../trend-windows.js'
import { cachedRanking } from './cached-ranking.js'
import { emptyLastPage, type FeedContext, type FeedQuery, SPARE_CASTS } from './feed-page.js'
import { feedPaging, parentUrl } from './feed-parameters.js'

/** The last day of the ranked feeds in the hosted API's description. */
const RANKED_FEEDS_LEFT = '2026-05-31'

/** The part of a description that explains ranked paging. */
const rankNote = 'All pages compute ages for the time of the first page.'

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

/** The time of a first page in Farcaster seconds, as messages have it: windows before it and after it are exact. */
export const firstPageTime = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })

/** Creates the function that renders pages of a ranked feed. Cursors hold the time of the first page. */
export function rankedPages(name: string) {
  const cursors = cursorKind(name, firstPageTime, keyPart.number, keyPart.hex)

  return async (
    { hydrator }: Pick<FeedContext, 'hydrator'>,
    caller: Caller,
    query: FeedQuery,
    read: (pageRequest: RankingPageRequest) => Promise<Ranking>,
  ): Promise<Json> => {
    const { limit, viewer_fid: viewerFid } = query
    if (isPastLastPage(query.cursor)) return emptyLastPage
    const viewer = await viewerOf({ hydrator }, caller, viewerFid)
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
    return listJson('casts', casts, next)
  }
}

/** Whether a cast comes after the cursor. */
export function isAfterCursor(cast: RankedCast, after: RankedCast | null): boolean {
  if (!after) return true
  return cast.rank < after.rank || (cast.rank === after.rank && cast.hash < after.hash)
}

const forYouPages = rankedPages('feed/for_you')
const { followed, casts, likes, recasts } = forYouWindow

/** `GET feed/for_you` */
export const feedForYou = defineOperation({
  method: 'GET',
  path: 'feed/for_you',
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch the For You feed of a user',
  description:
    'Casts of the last three days, ranked by `(4 if the author is followed + likes by followed users + 2 ' +
    '* their recasts) * (1 + ln(1 + all reactions, quotes and replies)) / (age in hours + 2)^1.5`. Of ' +
    `followed authors, only casts that start a thread count. The server reads the ${followed} latest ` +
    `follows and, for each, the newest ${casts} casts, ${likes} likes and ${recasts} recasts. ${rankNote} ` +
    'Reactions count as of each page: a cast that rises over the cursor meanwhile is missing from the next pages, and one that ' +
    'falls behind it comes again.',
  deprecatedSince: RANKED_FEEDS_LEFT,
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    ...feedPaging,
    limit: limitParameter({ maximum: 50, default: 25 }),
  }),
  reply: FeedResponse,

  async handle({ db, hydrator, clock }, { fid, ...page }, caller) {
    return forYouPages({ hydrator }, caller, page, async (pageRequest) => {
      const ts = pageRequest.ts ?? farcasterSecondsFromUnixMs(clock())
      const request = { ...pageRequest, ts }
      const recent = await hydrator.recent.forYou(fid, request)
      return { ts, casts: recent ?? (await readForYouFeed(db, fid, request)) }
    })
  },
})

/** Casts in a ranking. Its pages end there. */
const RANKING_LENGTH = 200

/** A limit for changes of moderation that nobody publishes. */
const MAX_HIDDEN_AGE_MS = 60_000

/**
 * Reads the cached trending ranking, without what the moderators of its channel hide by now. Throws a 400 for the time of a cursor that is too old or in the future.
 *
 * @param ts The time of the ranking being paged, in Farcaster seconds; null for the first page.
 */
export async function trendingRanking(
  context: Pick<OperationContext, 'hydrator' | 'clock'>,
  selection: TrendingSelection,
  ts: number | null,
): Promise<Ranking> {
  const name = `trending ${JSON.stringify(selection)}`
  const ranking = await cachedRanking(context, name, ts, async (db, timestamp) => {
    const request = { ts: timestamp, count: RANKING_LENGTH }
    return (
      (await context.hydrator.recent.trending(selection, request)) ??
      (await readTrending(db, selection, request))
    )
  })
  const { channelId } = selection
  if (channelId === undefined) return { ts: ranking.ts, casts: ranking.rows }
  // A message of the channel drops what is read here; the ranking stays.
  const hidden = await context.hydrator.singleFlight.read(
    `hidden of ${name} at ${ranking.ts}`,
    MAX_HIDDEN_AGE_MS,
    async (db) => {
      const hashes = ranking.rows.map(({ hash }) => hash)
      return { value: await readHiddenInChannel(db, channelId, hashes), tags: channelTags(channelId) }
    },
  )
  return { ts: ranking.ts, casts: ranking.rows.filter(({ hash }) => !hidden.has(hash)) }
}

/** Returns the reader of pages of a trending ranking. */
export function trendingPage(
  context: Pick<OperationContext, 'hydrator' | 'clock'>,
  selection: TrendingSelection,
): (pageRequest: RankingPageRequest) => Promise<Ranking> {
  return async ({ ts, after, count }) => {
    const ranking = await trendingRanking(context, selection, ts)
    const found = ranking.casts.filter((cast) => isAfterCursor(cast, after)).slice(0, count)
    return { ts: ranking.ts, casts: found }
  }
}

/** Returns the price of a page: a cursor names the time of its ranking, and each of an hour is a ranking of its own. */
export function priceOfTrending(cursor: unknown): WorkPrice | null {
  return cursor === undefined ? null : workPrices.search
}

const trendingPages = rankedPages('feed/trending')

/** `GET feed/trending` */
export const feedTrending = defineOperation({
  method: 'GET',
  path: 'feed/trending',
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch trending feed',
  description:
    'Casts that start a thread, ranked by `(likes + 2 * recasts + 2 * quotes + 3 * replies) / (age in ' +
    `hours + 2)^1.5\`, from the newest 50,000 in the time window. The ranking holds ${RANKING_LENGTH} ` +
    `casts and is computed every 30 seconds. ${rankNote} Cursors work for an hour and go on in the ranking of the first ` +
    'page, which a process keeps for a minute. Later, or in another process, it is computed again from the reactions that are ' +
    'counted by then: casts may be missing or repeated.',
  deprecatedSince: RANKED_FEEDS_LEFT,
  price: ({ cursor }) => priceOfTrending(cursor),
  query: Type.Object({
    time_window: choiceParameter(trendWindowNames, {
      default: '24h',
      description: 'Maximum age of casts. `7d` requires `channel_id` or `parent_url`.',
    }),
    channel_id: Type.Optional(
      textParameter({
        description: 'Only casts in this channel. Excludes `parent_url`.',
        examples: ['gardening'],
      }),
    ),
    parent_url: Type.Optional({
      ...parentUrl('Only casts directly below this URL. Excludes `channel_id`.'),
      examples: [],
    }),
    ...feedPaging,
    limit: limitParameter({ maximum: 10, default: 10 }),
  }),
  reply: FeedResponse,

  async handle({ hydrator, clock }, { time_window, channel_id, parent_url, ...page }, caller) {
    if (parent_url !== undefined && channel_id !== undefined) {
      throw invalidField('channel_id', 'cannot be given together with parent_url')
    }
    if (time_window === '7d' && parent_url === undefined && channel_id === undefined) {
      throw invalidField('time_window', 'can be 7d only with channel_id or parent_url')
    }
    const selection = { seconds: trendWindows[time_window], channelId: channel_id, parentUrl: parent_url }
    return trendingPages({ hydrator }, caller, page, trendingPage({ hydrator, clock }, selection))
  },
})
