import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { feedPages, recastNote } from './feed-page.js'
import { feedPaging, withRecasts } from './feed-parameters.js'
import { followingFeed } from './first-pages.js'

const pages = feedPages('feed/following', true)

/** `GET feed/following` */
export const feedFollowing = defineOperation({
  method: 'GET',
  path: 'feed/following',
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
    return pages({ db, hydrator }, caller, page, ...followingFeed(db, { fid, recasts: with_recasts }))
  },
})
