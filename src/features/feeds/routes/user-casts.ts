import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { fidParameter, flagParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { authorFeed } from './author-feed.js'
import { feedPages } from './feed-page.js'
import { feedPaging, parentUrl } from './feed-parameters.js'

const pages = feedPages('feed/user/casts', false)

/** `GET feed/user/casts` */
export const feedUserCasts = defineOperation({
  method: 'GET',
  path: 'feed/user/casts',
  tag: 'Feed',
  summary: 'What a user cast',
  description: 'Newest first.',
  query: Type.Object({
    fid: fidParameter({ description: 'Whose casts.' }),
    app_fid: Type.Optional(fidParameter({ description: 'Only casts made with this app.' })),
    include_replies: flagParameter({ default: true, description: 'Replies to casts, too.' }),
    parent_url: Type.Optional(parentUrl('Only casts directly below this URL. Not with `channel_id`.')),
    channel_id: Type.Optional(
      textParameter({
        description: 'Only casts in this channel, in its threads too. Not with `parent_url`.',
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
    return pages({ db, hydrator }, caller, page, ...authorFeed(db, selection))
  },
})
