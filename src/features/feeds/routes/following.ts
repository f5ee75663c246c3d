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
  tag: 'Feed',
  summary: 'Casts by those whom a user follows',
  description: `Newest first, replies included. ${recastNote}`,
  query: Type.Object({
    fid: fidParameter({ description: 'Whose follows.' }),
    with_recasts: withRecasts,
    ...feedPaging,
  }),
  reply: FeedResponse,

  async handle({ db, hydrator }, { fid, with_recasts, ...page }, caller) {
    return pages({ db, hydrator }, caller, page, ...followingFeed(db, { fid, recasts: with_recasts }))
  },
})
