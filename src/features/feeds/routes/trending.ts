import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'
import { feedPaging, parentUrl } from './feed-parameters.js'
import { isAfterCursor, rankedPages, rankNote } from './ranked-page.js'
import { RANKING_LENGTH, trendingRanking } from './trending-ranking.js'

const HOUR = 3_600
const windows = { '1h': HOUR, '6h': 6 * HOUR, '12h': 12 * HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR } as const
const windowNames = ['1h', '6h', '12h', '24h', '7d'] as const

const pages = rankedPages('feed/trending')

/** `GET feed/trending` */
export const feedTrending = defineOperation({
  method: 'GET',
  path: 'feed/trending',
  tag: 'Feeds',
  summary: 'Fetch trending feed',
  description:
    'Casts that start a thread, ranked by `(likes + 2 * recasts + 2 * quotes + 3 * replies) / (age in ' +
    `hours + 2)^1.5\`, from the newest 50,000 in the time window. The ranking holds ${RANKING_LENGTH} ` +
    `casts and is computed every 30 seconds. ${rankNote}`,
  query: Type.Object({
    time_window: choiceParameter(windowNames, {
      default: '24h',
      description: 'Maximum age of casts. `7d` requires `channel_id` or `parent_url`.',
    }),
    channel_id: Type.Optional(
      textParameter({
        description: 'Only casts in this channel. Excludes `parent_url`.',
        examples: ['gardening'],
      }),
    ),
    parent_url: Type.Optional({
      ...parentUrl('Only casts directly below this URL. Excludes `channel_id`.'),
      examples: [],
    }),
    ...feedPaging,
    limit: limitParameter({ maximum: 10, default: 10 }),
  }),
  reply: FeedResponse,

  async handle({ db, hydrator, clock }, { time_window, channel_id, parent_url, ...page }, caller) {
    if (parent_url !== undefined && channel_id !== undefined) {
      throw invalidField('channel_id', 'cannot be given together with parent_url')
    }
    if (time_window === '7d' && parent_url === undefined && channel_id === undefined) {
      throw invalidField('time_window', 'can be 7d only with channel_id or parent_url')
    }
    const selection = { seconds: windows[time_window], channelId: channel_id, parentUrl: parent_url }
    return pages({ db, hydrator }, caller, page, async ({ ts, after, count }) => {
      const ranking = await trendingRanking({ db, hydrator, clock }, selection, ts)
      return {
        ts: ranking.ts,
        casts: ranking.casts.filter((cast) => isAfterCursor(cast, after)).slice(0, count),
      }
    })
  },
})
