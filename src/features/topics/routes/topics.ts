import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readTopicFeed, readTopics } from '../../../graph/query/topics.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { feedPages } from '../../feeds/routes/feed-page.js'
import { feedPaging, withRecastsUnused } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'
import { type TopLevelTopic, TrendingTopicsResponse } from '../schema/topic.js'

const pages = feedPages('feed/topic', false)

/** `GET feed/topic` */
export const feedTopic = defineOperation({
  method: 'GET',
  path: 'feed/topic',
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch feed by topic',
  description:
    'Casts of the last 24 hours about a trending topic, newest first. A slug that is no topic now has no casts.',
  query: Type.Object({
    slug: textParameter({ description: 'Slug of the topic.', maxLength: 256, examples: ['ai_agents'] }),
    with_recasts: withRecastsUnused,
    ...feedPaging,
  }),
  reply: FeedResponse,

  async handle({ db, hydrator }, { slug, with_recasts: _, ...page }, caller) {
    return pages({ hydrator }, caller, page, {
      read: (pageRequest) => readTopicFeed(db, slug, pageRequest),
    })
  },
})

/** Authors of a topic that are shown. */
const MAX_SHOWN_AUTHORS = 5

const cursors = cursorKind('topics by score', keyPart.number, keyPart.text)

/** `GET topic/trending` */
export const topicTrending = defineOperation({
  method: 'GET',
  path: 'topic/trending',
  isPublic: true,
  tag: 'Feeds',
  summary: 'List trending topics',
  description:
    'Words, phrases, channels and hosts of embeds that are in more casts in the last 24 hours than in the week before, ' +
    'by the number of authors and the increase (docs/topics.md). They are computed every ten minutes, at most 50.',
  query: Type.Object({
    limit: limitParameter({ maximum: 25, default: 10 }),
    cursor: cursorParameter,
  }),
  reply: TrendingTopicsResponse,

  async handle(context, { limit, cursor }, caller) {
    const { db, hydrator } = context
    const viewer = await viewerOf(context, caller)
    const key = cursors.decode(cursor)
    const after = key && { score: key[0], slug: key[1] }
    const rows = await readTopics(db, { ...viewer, after, count: limit + 1 })
    const { page, next } = cursors.page(rows, limit, ({ score, slug }) => [score, slug])
    const users = await hydrator.dehydratedUsers(page.flatMap(({ authorFids }) => authorFids))
    return {
      topics: page.map(({ slug, name, topLevelTopic, summary, authorFids }) => ({
        slug,
        name,
        top_level_topic: topLevelTopic as TopLevelTopic,
        summary,
        authors: authorFids
          .filter((fid) => !viewer.banned.has(fid))
          .flatMap((fid) => users.get(fid) ?? [])
          .slice(0, MAX_SHOWN_AUTHORS),
      })),
      next,
    }
  },
})
