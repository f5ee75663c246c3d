import { Type } from '@sinclair/typebox'
import { choiceParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { authorFeed } from './author-feed.js'
import { feedPages, recastNote } from './feed-page.js'
import { feedPaging } from './feed-parameters.js'

const pages = feedPages('feed/user/replies_and_recasts', true)

/** `GET feed/user/replies_and_recasts` */
export const feedUserRepliesAndRecasts = defineOperation({
  method: 'GET',
  path: 'feed/user/replies_and_recasts',
  tag: 'Feed',
  summary: 'What a user replied to others, and recast of theirs',
  description: `Newest first. ${recastNote}`,
  query: Type.Object({
    fid: fidParameter({ description: 'Whose.' }),
    filter: choiceParameter(['replies', 'recasts', 'all'], {
      default: 'all',
      description: 'Which of the two.',
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
    return pages({ db, hydrator }, caller, page, ...authorFeed(db, selection))
  },
})
