import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson } from '../../../api/list-json.js'
import {
  choiceParameter,
  fidParameter,
  listParameter,
  lookupViewerFidParameter,
  pagingParameters,
  textParameter,
} from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { type Json, json } from '../../../graph/view/json.js'
import { ChannelListResponse } from '../../../graph/view/schema/channel.js'
import { cachedRanking } from '../../feeds/routes/cached-ranking.js'
import { firstPageTime, priceOfTrending } from '../../feeds/routes/ranked-feeds.js'
import { defineOperation } from '../../operation.js'
import {
  activeChannels,
  type ChannelKey,
  countChannelActivity,
  listChannels,
  MAX_TRENDING_CHANNELS,
  searchChannels,
  trendingChannels,
} from '../channel-lists.js'
import { channelIdsByUrl, noSuchChannel } from '../find-channel.js'
import {
  ChannelResponse,
  ChannelResponseBulk,
  ChannelSearchResponse,
  TrendingChannelResponse,
  UsersActiveChannelsResponse,
} from '../schema/channel.js'

const byFollowers = channelCursor('channels by followers')

/** `GET channel/list` */
export const channelList = defineOperation({
  method: 'GET',
  path: 'channel/list',
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch all channels with their details',
  description: 'Channels with the most followers first.',
  query: Type.Object({ ...pagingParameters(200, 20), viewer_fid: lookupViewerFidParameter }),
  reply: ChannelListResponse,

  async handle({ db, hydrator }, { limit, cursor, viewer_fid }) {
    const keys = await listChannels(db, limit + 1, byFollowers.decode(cursor))
    return await channelPage(hydrator, keys, limit, byFollowers, viewer_fid)
  },
})

const bySimilarity = channelCursor('channels by similarity')

/** `GET channel/search` */
export const channelSearch = defineOperation({
  method: 'GET',
  path: 'channel/search',
  isPublic: true,
  tag: 'Channels',
  summary: 'Search channels by id or name',
  description:
    'Matches any part of the id or the name. Channels that start with the text come first; equal matches ' +
    'are ordered by followers, most first.',
  query: Type.Object({
    q: textParameter({
      description: 'Part of the id or the name. Case does not matter.',
      examples: ['garden'],
    }),
    ...pagingParameters(200, 20),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: ChannelSearchResponse,

  async handle({ db, hydrator }, { q, limit, cursor, viewer_fid }) {
    const after = bySimilarity.decode(cursor)
    const text = q.trim()
    const keys = text === '' ? [] : await searchChannels(db, text, limit + 1, after)
    return await channelPage(hydrator, keys, limit, bySimilarity, viewer_fid)
  },
})

const byActivity = cursorKind('channels by activity', firstPageTime, keyPart.integer, keyPart.text)

/** Counts of a first page are cached this long, as rankings are. */
const MAX_COUNT_AGE_MS = 60_000

/** `GET channel/trending` */
export const channelTrending = defineOperation({
  method: 'GET',
  path: 'channel/trending',
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch trending channels by activity',
  description:
    'Ordered by the number of casts, replies included, in the time window; without `time_window`, one ' +
    'day. Casts are counted by the hour, including the current one. Channels without a cast in the window ' +
    `are left out. The ranking holds ${MAX_TRENDING_CHANNELS} channels and is computed every 30 seconds. Cursors work for ` +
    'an hour and go on in the ranking of the first page, which a process keeps for a minute. Later, or in another process, it is ' +
    'computed again from the casts that are counted by then: channels whose counts have changed may be missing or repeated.',
  price: ({ cursor }) => priceOfTrending(cursor),
  query: Type.Object({
    time_window: Type.Optional(
      choiceParameter(['1d', '7d', '30d'], { description: 'Time range that ends now.' }),
    ),
    ...pagingParameters(25, 10),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: TrendingChannelResponse,

  async handle({ db, hydrator, clock }, { time_window = '1d', limit, cursor, viewer_fid }) {
    const after = byActivity.decode(cursor)
    const { ts, rows } = await cachedRanking(
      { hydrator, clock },
      `channels ${time_window}`,
      after?.[0] ?? null,
      (reader, timestamp) => trendingChannels(reader, time_window, timestamp),
    )
    const behind = after ? rows.filter((row) => isBehind(row, after)) : rows
    const { page, next } = byActivity.page(behind, limit, (last) => [ts, last.rank, last.id])
    const ids = page.map(({ id }) => id)
    // Only counts of first pages are cached: cursors may be made up, and would push other entries out.
    const counting = after
      ? countChannelActivity(db, ids, ts)
      : hydrator.singleFlight.read(
          `channel counts ${JSON.stringify([time_window, ts, limit])}`,
          MAX_COUNT_AGE_MS,
          async (reader) => ({ value: await countChannelActivity(reader, ids, ts), tags: [] }),
        )
    const [counts, channels] = await Promise.all([counting, hydrator.channels(ids, viewer_fid)])
    const activities = ids.flatMap((id) => {
      const [count, channel] = [counts.get(id), channels.get(id)]
      if (count === undefined || channel === undefined) return []
      const { day, week, month } = count
      const members = json`"cast_count_1d":${`${day}`},"cast_count_7d":${`${week}`},"cast_count_30d":${`${month}`}`
      return [json`{"object":"channel_activity",${members},"channel":${channel}}`]
    })
    return listJson('channels', activities, next)
  },
})

function isBehind(
  { id, rank }: ChannelKey,
  [, lastRank, lastId]: readonly [number, number, string],
): boolean {
  return rank < lastRank || (rank === lastRank && id > lastId)
}

const byLastCast = channelCursor('channels by last cast')

/** `GET channel/user` */
export const channelUser = defineOperation({
  method: 'GET',
  path: 'channel/user',
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch channels that a user is active in',
  description:
    'Channels in which the user has cast, most recent cast first: with the last 10,000 casts of the user.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    ...pagingParameters(100, 20),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: UsersActiveChannelsResponse,

  async handle({ db, hydrator }, { fid, limit, cursor, viewer_fid }) {
    const keys = await activeChannels(db, fid, limit + 1, byLastCast.decode(cursor))
    return await channelPage(hydrator, keys, limit, byLastCast, viewer_fid)
  },
})

/** Creates the cursors of one order of channels. */
export function channelCursor(order: string) {
  return cursorKind(order, keyPart.integer, keyPart.text)
}

/**
 * Renders a page of channels as JSON.
 *
 * @param keys One more than `limit` when there is a next page.
 */
export async function channelPage(
  hydrator: Hydrator,
  keys: readonly ChannelKey[],
  limit: number,
  cursors: ReturnType<typeof channelCursor>,
  viewerFid?: number,
): Promise<Json> {
  const { page, next } = cursors.page(keys, limit, (last) => [last.rank, last.id])
  const channels = await hydrator.channels(
    page.map(({ id }) => id),
    viewerFid,
  )
  return listJson(
    'channels',
    page.flatMap(({ id }) => channels.get(id) ?? []),
    next,
  )
}

/** `GET channel` */
export const channelLookup = defineOperation({
  method: 'GET',
  path: 'channel',
  isPublic: true,
  tag: 'Channels',
  summary: 'Lookup channel by id or parent URL',
  description: 'Any parent URL of the channel finds it.',
  query: Type.Object({
    id: textParameter({
      description: 'Id or parent URL of the channel; see `type`.',
      examples: ['gardening'],
    }),
    type: Type.Optional(
      choiceParameter(['id', 'parent_url'], { description: 'Type of `id`, by default `id`.' }),
    ),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: ChannelResponse,
  notFound: 'There is no such channel.',

  async handle({ db, hydrator }, { id, type, viewer_fid }) {
    const channelId = type === 'parent_url' ? (await channelIdsByUrl(db, [id])).get(id) : id
    const channels = await hydrator.channels(channelId === undefined ? [] : [channelId], viewer_fid)
    const [channel] = channels.values()
    if (channel === undefined) throw noSuchChannel('id')
    return json`{"channel":${channel}}`
  },
})

/** `GET channel/bulk` */
export const channelBulk = defineOperation({
  method: 'GET',
  path: 'channel/bulk',
  isPublic: true,
  tag: 'Channels',
  summary: 'Bulk fetch channels by ids or parent URLs',
  description: 'Returns channels in the order of `ids`. Unknown channels are left out.',
  query: Type.Object({
    ids: listParameter(
      textParameter({ description: 'Id or parent URL of a channel.', examples: ['gardening'] }),
      {
        maxItems: 100,
        description: 'Ids or parent URLs; see `type`.',
      },
    ),
    type: Type.Optional(
      choiceParameter(['id', 'parent_url'], { description: 'Type of `ids`, by default `id`.' }),
    ),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: ChannelResponseBulk,

  async handle({ db, hydrator }, { ids, type, viewer_fid }) {
    const byUrl = type === 'parent_url' ? await channelIdsByUrl(db, ids) : null
    // A channel has several URLs, and is listed where the first of them stands.
    const channelIds = byUrl ? [...new Set(ids.flatMap((url) => byUrl.get(url) ?? []))] : ids
    const channels = await hydrator.channels(channelIds, viewer_fid)
    return listJson(
      'channels',
      channelIds.flatMap((id) => channels.get(id) ?? []),
    )
  },
})
