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
  tag: 'Feeds',
  summary: 'Fetch the For You feed of a user',
  description:
    'Casts of the last three days, ranked by `(4 if the author is followed + likes by followed users + 2 ' +
    '* their recasts) * (1 + ln(1 + all reactions, quotes and replies)) / (age in hours + 2)^1.5`. Of ' +
    `followed authors, only casts that start a thread count. The server reads the ${followed} latest ` +
    `follows and, for each, the newest ${casts} casts, ${likes} likes and ${recasts} recasts. ${rankNote}`,
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
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
