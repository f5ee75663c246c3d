import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import {
  choiceParameter,
  fidParameter,
  flagParameter,
  limitParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readPopularCasts } from '../../../graph/query/feeds-ranked.js'
import { jsonArray } from '../../../graph/view/json.js'
import { BulkCastsResponse, FeedResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { feedPages, recastNote } from './feed-page.js'
import { feedPaging, parentUrl } from './feed-parameters.js'
import { authorFeed } from './first-pages.js'

const castPages = feedPages('feed/user/casts', false)

/** `GET feed/user/casts` */
export const feedUserCasts = defineOperation({
  method: 'GET',
  path: 'feed/user/casts',
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
    return castPages({ db, hydrator }, caller, page, ...authorFeed(db, selection))
  },
})

const MAX_CASTS = 10

/** `GET feed/user/popular` */
export const feedUserPopular = defineOperation({
  method: 'GET',
  path: 'feed/user/popular',
  tag: 'Feeds',
  summary: 'Fetch the 10 most popular casts of a user',
  description: 'Ordered by the sum of likes, recasts and replies, highest first; equal sums newest first.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the author.' }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkCastsResponse,

  async handle({ db, hydrator }, { fid, viewer_fid: viewerFid }, caller) {
    const viewer = await viewerOf({ db, hydrator }, caller, viewerFid)
    const hashes = await readPopularCasts(db, fid, { count: MAX_CASTS, ...viewer })
    const casts = await hydrator.casts(hashes, viewerFid)
    return `{"casts":${jsonArray(hashes.flatMap((hash) => casts.get(hash) ?? []))}}`
  },
})

const replyPages = feedPages('feed/user/replies_and_recasts', true)

/** `GET feed/user/replies_and_recasts` */
export const feedUserRepliesAndRecasts = defineOperation({
  method: 'GET',
  path: 'feed/user/replies_and_recasts',
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
    return replyPages({ db, hydrator }, caller, page, ...authorFeed(db, selection))
  },
})
