import { Type } from '@sinclair/typebox'
import { flagParameter, listParameter, textParameter } from '../../../api/parameters.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { feedPages } from './feed-page.js'
import {
  authors,
  feedPaging,
  membersOnly,
  parentUrl,
  withRecastsUnused,
  withReplies,
} from './feed-parameters.js'
import { authorFeed, parentFeed } from './first-pages.js'

const channelPages = feedPages('feed/channels', false)

/** `GET feed/channels` */
export const feedChannels = defineOperation({
  method: 'GET',
  path: 'feed/channels',
  tag: 'Feed',
  summary: 'Casts in some channels',
  description: 'Newest first. Casts below any URL of a channel are in it.',
  query: Type.Object({
    channel_ids: listParameter(textParameter({ description: 'A channel.' }), {
      maxItems: 10,
      description: 'The channels.',
    }),
    with_recasts: withRecastsUnused,
    with_replies: withReplies,
    members_only: membersOnly,
    fids: Type.Optional(authors(10, 'Only these authors.')),
    should_moderate: flagParameter({
      default: false,
      deprecated: true,
      description: 'Has no effect: nobody moderates casts any more.',
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
      return channelPages({ db, hydrator }, caller, page, ...parentFeed(db, selection))
    }
    const selection = {
      fids,
      casts: with_replies ? 'all' : 'without replies',
      recasts: false,
      channelIds,
      membersOnly: members_only,
    } as const
    return channelPages({ db, hydrator }, caller, page, ...authorFeed(db, selection))
  },
})

const urlPages = feedPages('feed/parent_urls', false)

/** `GET feed/parent_urls` */
export const feedParentUrls = defineOperation({
  method: 'GET',
  path: 'feed/parent_urls',
  tag: 'Feed',
  summary: 'Casts below some URLs',
  description: 'Newest first.',
  query: Type.Object({
    parent_urls: listParameter(parentUrl('A URL.'), {
      maxItems: 100,
      description: 'The URLs.',
    }),
    with_recasts: withRecastsUnused,
    with_replies: withReplies,
    ...feedPaging,
  }),
  reply: FeedResponse,

  async handle({ db, hydrator }, { parent_urls: urls, with_replies, ...page }, caller) {
    return urlPages(
      { db, hydrator },
      caller,
      page,
      ...parentFeed(db, { parents: { urls }, replies: with_replies }),
    )
  },
})
