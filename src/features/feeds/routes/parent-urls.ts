import { Type } from '@sinclair/typebox'
import { listParameter } from '../../../api/parameters.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { feedPages } from './feed-page.js'
import { feedPaging, parentUrl, withRecastsUnused, withReplies } from './feed-parameters.js'
import { parentFeed } from './parent-feed.js'

const pages = feedPages('feed/parent_urls', false)

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
    return pages(
      { db, hydrator },
      caller,
      page,
      ...parentFeed(db, { parents: { urls }, replies: with_replies }),
    )
  },
})
