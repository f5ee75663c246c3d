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
      description: 'No effect: casts are no longer moderated.',
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
    return urlPages(
      { db, hydrator },
      caller,
      page,
      ...parentFeed(db, { parents: { urls }, replies: with_replies }),
    )
  },
})
