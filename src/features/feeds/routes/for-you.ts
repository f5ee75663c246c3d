import { Type } from '@sinclair/typebox'
import { fidParameter, limitParameter } from '../../../api/parameters.js'
import { forYouWindow, readForYouFeed } from '../../../graph/query/feeds-ranked.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'
import { feedPaging } from './feed-parameters.js'
import { rankedPages, rankNote } from './ranked-page.js'

const pages = rankedPages('feed/for_you')
const { followed, casts, likes, recasts } = forYouWindow

/** `GET feed/for_you` */
export const feedForYou = defineOperation({
  method: 'GET',
  path: 'feed/for_you',
  tag: 'Feed',
  summary: 'Casts that mean something to those whom a user follows',
  description: [
    'Of the last three days, by (4 if the author is followed + likes by followed users + 2·their recasts) ·',
    '(1 + ln(1 + all reactions, quotes and replies)) / (age in hours + 2)^1.5. Of followed authors, casts that start a',
    `thread count. Read are the ${followed} latest follows, and of each the ${casts} newest casts, ${likes} likes and`,
    `${recasts} recasts. ${rankNote}`,
  ].join(' '),
  query: Type.Object({
    fid: fidParameter({ description: 'For whom.' }),
    ...feedPaging,
    limit: limitParameter({ maximum: 50, default: 25 }),
  }),
  reply: FeedResponse,

  async handle({ db, hydrator, clock }, { fid, ...page }, caller) {
    return pages({ db, hydrator }, caller, page, async (pageRequest) => {
      const ts = pageRequest.ts ?? farcasterSecondsFromUnixMs(clock())
      return { ts, casts: await readForYouFeed(db, fid, { ...pageRequest, ts }) }
    })
  },
})
