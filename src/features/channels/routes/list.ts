import { Type } from '@sinclair/typebox'
import { cursorParameter, limitParameter } from '../../../api/parameters.js'
import { ChannelListResponse } from '../../../graph/view/schema/channel.js'
import { defineOperation } from '../../operation.js'
import { listChannels } from '../queries.js'
import { channelCursor, channelPage } from './channel-page.js'

const cursors = channelCursor('channels by followers')

/** `GET channel/list` */
export const channelList = defineOperation({
  method: 'GET',
  path: 'channel/list',
  tag: 'Channel',
  summary: 'All channels, those with the most followers first',
  query: Type.Object({ limit: limitParameter({ maximum: 200, default: 20 }), cursor: cursorParameter }),
  reply: ChannelListResponse,

  async handle({ db, hydrator }, { limit, cursor }) {
    const keys = await listChannels(db, limit + 1, cursors.decode(cursor))
    const { channels, next } = await channelPage(hydrator, keys, limit, cursors)
    return `{"channels":${channels},"next":${next}}`
  },
})
