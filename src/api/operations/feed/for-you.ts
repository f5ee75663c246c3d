import { Type } from '@sinclair/typebox'
import { readForYouFeed } from '../../../social/queries/feeds-ranked.js'
import { FeedResponse } from '../../../views/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { fidParameter, limitParameter } from '../../parameters.js'
import { feedPaging } from './feed-parameters.js'
import { rankedPages, rankNote } from './ranked-page.js'

const pages = rankedPages('feed/for_you')

/** `GET feed/for_you` */
export const feedForYou = defineOperation({
  method: 'GET',
  path: 'feed/for_you',
  tag: 'Feed',
  summary: 'Casts that mean something to those whom a user follows',
  description: [
    'Of the last three days, by (4 if the author is followed + likes by followed users + 2·their recasts) ·',
    '(1 + ln(1 + all reactions, quotes and replies)) / (age in hours + 2)^1.5. Of followed authors, casts that start a',
    `thread count. Read are their 2,000 newest and 5,000 newest reactions. ${rankNote}`,
  ].join(' '),
  query: Type.Object({
    fid: fidParameter({ description: 'For whom.' }),
    ...feedPaging,
    limit: limitParameter({ maximum: 50, default: 25 }),
  }),
  reply: FeedResponse,

  async handle({ db, hydrator, clock }, { fid, ...page }) {
    return pages({ hydrator, clock }, page, (part) => readForYouFeed(db, fid, part))
  },
})
