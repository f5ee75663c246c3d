import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { listJson } from '../../../api/list-json.js'
import {
  choiceParameter,
  fidParameter,
  flagParameter,
  limitParameter,
  listParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readPopularCasts } from '../../../graph/query/popular-casts.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { workPrices } from '../../../platform/limits/work-prices.js'
import { defineOperation } from '../../operation.js'
import { BulkCastsResponse } from '../schema/feed.js'
import { authorFeed, feedPages, followingFeed, parentFeed, recastNote } from './feed-page.js'
import {
  authors,
  feedPaging,
  membersOnly,
  parentUrl,
  withRecasts,
  withRecastsUnused,
  withReplies,
} from './feed-parameters.js'

const followingPages = feedPages('feed/following', true)

/** `GET feed/following` */
export const feedFollowing = defineOperation({
  method: 'GET',
  path: 'feed/following',
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch feed of users that a user follows',
  description: `Newest first, including replies. ${recastNote}`,
  query: Type.Object({
    fid: fidParameter({ description: 'User whose followed users are selected.' }),
    with_recasts: withRecasts,
    ...feedPaging,
  }),
  reply: FeedResponse,

  async handle({ db, hydrator }, { fid, with_recasts, ...page }, caller) {
    return followingPages(
      { hydrator },
      caller,
      page,
      followingFeed({ db, hydrator }, { fid, recasts: with_recasts }),
    )
  },
})

const castPages = feedPages('feed/user/casts', false)

/** `GET feed/user/casts` */
export const feedUserCasts = defineOperation({
  method: 'GET',
  path: 'feed/user/casts',
  price: ({ app_fid, parent_url, channel_id, include_replies }) =>
    [app_fid, parent_url, channel_id].some((filter) => filter !== undefined) ||
    !['', 'true', '1'].includes(String(include_replies ?? '').toLowerCase())
      ? workPrices.search
      : null,
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch casts of a user chronologically',
  description: 'Newest first. `parent_url` and `channel_id` exclude each other.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the author.' }),
    app_fid: Type.Optional(fidParameter({ description: 'Only casts made with the app of this fid.' })),
    include_replies: flagParameter({ default: true, description: 'Include replies.' }),
    parent_url: Type.Optional({
      ...parentUrl('Only casts directly below this URL. Excludes `channel_id`.'),
      examples: [],
    }),
    channel_id: Type.Optional(
      textParameter({
        description: 'Only casts in this channel, including replies in its threads. Excludes `parent_url`.',
        examples: ['gardening'],
      }),
    ),
    ...feedPaging,
    limit: limitParameter({ maximum: 150, default: 25 }),
  }),
  reply: FeedResponse,

  async handle({ db, hydrator }, { fid, app_fid, include_replies, parent_url, channel_id, ...page }, caller) {
    if (parent_url !== undefined && channel_id !== undefined) {
      throw invalidField('channel_id', 'cannot be given together with parent_url')
    }
    const selection = {
      fids: [fid],
      casts: include_replies ? 'all' : 'without replies',
      recasts: false,
      appFid: app_fid,
      parentUrl: parent_url,
      channelIds: channel_id === undefined ? undefined : [channel_id],
    } as const
    return castPages({ hydrator }, caller, page, authorFeed({ db, hydrator }, selection))
  },
})

const MAX_CASTS = 10

/** `GET feed/user/popular` */
export const feedUserPopular = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'feed/user/popular',
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch the 10 most popular casts of a user',
  description:
    'Ordered by the sum of likes, recasts and replies, highest first; equal sums newest first. Of a user with more ' +
    'than 1,000 casts, older ones are considered if they were among the best 250 within the last six hours.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the author.' }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkCastsResponse,

  async handle({ db, hydrator }, { fid, viewer_fid: viewerFid }, caller) {
    const viewer = await viewerOf({ hydrator }, caller, viewerFid)
    const hashes = await readPopularCasts(db, fid, { count: MAX_CASTS, ...viewer })
    const casts = await hydrator.casts(hashes, viewerFid)
    return listJson(
      'casts',
      hashes.flatMap((hash) => casts.get(hash) ?? []),
    )
  },
})

const replyPages = feedPages('feed/user/replies_and_recasts', true)

/** `GET feed/user/replies_and_recasts` */
export const feedUserRepliesAndRecasts = defineOperation({
  method: 'GET',
  path: 'feed/user/replies_and_recasts',
  price: ({ filter }) => (filter === 'recasts' ? null : workPrices.search),
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch replies and recasts of a user',
  description: `Newest first. ${recastNote}`,
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    filter: choiceParameter(['replies', 'recasts', 'all'], {
      default: 'all',
      description: 'Kinds to return.',
    }),
    ...feedPaging,
    limit: limitParameter({ maximum: 50, default: 25 }),
  }),
  reply: FeedResponse,

  async handle({ db, hydrator }, { fid, filter, ...page }, caller) {
    const selection = {
      fids: [fid],
      casts: filter === 'recasts' ? 'none' : 'replies',
      recasts: filter !== 'replies',
    } as const
    return replyPages({ hydrator }, caller, page, authorFeed({ db, hydrator }, selection))
  },
})

const channelPages = feedPages('feed/channels', false)

/** `GET feed/channels` */
export const feedChannels = defineOperation({
  method: 'GET',
  path: 'feed/channels',
  price: ({ fids }) => (fids === undefined ? null : workPrices.search),
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch feed by channel ids',
  description: 'Newest first. A channel holds the casts below any of its parent URLs.',
  query: Type.Object({
    channel_ids: listParameter(textParameter({ description: 'Id of a channel.', examples: ['gardening'] }), {
      maxItems: 10,
      description: 'Ids of channels.',
    }),
    with_recasts: withRecastsUnused,
    with_replies: withReplies,
    members_only: membersOnly,
    fids: Type.Optional(authors(10, 'Only casts by these authors.')),
    should_moderate: flagParameter({
      default: false,
      deprecated: true,
      description: 'No effect: what the moderators of a channel hide is always left out.',
    }),
    ...feedPaging,
  }),
  reply: FeedResponse,

  async handle(
    { db, hydrator },
    { channel_ids: channelIds, with_replies, members_only, fids, ...page },
    caller,
  ) {
    if (!fids) {
      const selection = { parents: { channelIds }, replies: with_replies, membersOnly: members_only }
      return channelPages({ hydrator }, caller, page, parentFeed(db, selection))
    }
    const selection = {
      fids,
      casts: with_replies ? 'all' : 'without replies',
      recasts: false,
      channelIds,
      membersOnly: members_only,
    } as const
    return channelPages({ hydrator }, caller, page, authorFeed({ db, hydrator }, selection))
  },
})

const urlPages = feedPages('feed/parent_urls', false)

/** `GET feed/parent_urls` */
export const feedParentUrls = defineOperation({
  method: 'GET',
  path: 'feed/parent_urls',
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch feed by parent URLs',
  description: 'Newest first. Without `with_replies`, only casts directly below a URL.',
  query: Type.Object({
    parent_urls: listParameter(parentUrl('URL.'), {
      maxItems: 100,
      description: 'Parent URLs.',
    }),
    with_recasts: withRecastsUnused,
    with_replies: withReplies,
    ...feedPaging,
  }),
  reply: FeedResponse,

  async handle({ db, hydrator }, { parent_urls: urls, with_replies, ...page }, caller) {
    return urlPages({ hydrator }, caller, page, parentFeed(db, { parents: { urls }, replies: with_replies }))
  },
})
