import { Type } from '@sinclair/typebox'
import { choiceParameter, cursorParameter, limitParameter } from '../../../api/parameters.js'
import { jsonArray } from '../../../graph/view/json.js'
import { TrendingChannelResponse } from '../../../graph/view/schema/channel.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'
import { trendingChannels } from '../queries.js'
import { channelCursor, nextJson } from './channel-page.js'

const cursors = channelCursor('channels by activity')

/** A page is read at most every so often: a window of 30 days has up to 720 rows of each URL. */
const EVERY_MS = 30_000

/** `GET channel/trending` */
export const channelTrending = defineOperation({
  method: 'GET',
  path: 'channel/trending',
  tag: 'Channel',
  summary: 'Channels by how many casts there were in them lately',
  description:
    'Replies count. Casts are counted by the hour, and a window ends with the hour that runs; channels without a cast ' +
    'in the window are not listed. Without `time_window` it is a day. Pages are made every 30 seconds.',
  query: Type.Object({
    time_window: Type.Optional(
      choiceParameter(['1d', '7d', '30d'], { description: 'How far to look back.' }),
    ),
    limit: limitParameter({ maximum: 25, default: 10 }),
    cursor: cursorParameter,
  }),
  reply: TrendingChannelResponse,

  async handle({ db, hydrator, clock }, { time_window = '1d', limit, cursor }) {
    const after = cursors.decode(cursor)
    const rows = await hydrator.singleFlight.read(
      `channel/trending ${JSON.stringify([time_window, limit, after])}`,
      EVERY_MS,
      async () => {
        const now = farcasterSecondsFromUnixMs(clock())
        return { value: await trendingChannels(db, time_window, limit + 1, after, now), tags: [] }
      },
    )
    const page = rows.slice(0, limit)
    const channels = await hydrator.channels(page.map(({ id }) => id))
    const activities = page.flatMap(({ id, day, week, month }) => {
      const channel = channels.get(id)
      if (channel === undefined) return []
      const counts = `"cast_count_1d":"${day}","cast_count_7d":"${week}","cast_count_30d":"${month}"`
      return [`{"object":"channel_activity",${counts},"channel":${channel}}`]
    })
    return `{"channels":${jsonArray(activities)},"next":${nextJson(rows, limit, cursors)}}`
  },
})
