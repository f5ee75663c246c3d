import { Type } from '@sinclair/typebox'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { UsersActiveChannelsResponse } from '../../../graph/view/schema/channel.js'
import { defineOperation } from '../../operation.js'
import { activeChannels } from '../queries.js'
import { channelCursor, channelPage } from './channel-page.js'

const cursors = channelCursor('channels by last cast')

/** `GET channel/user` */
export const channelUser = defineOperation({
  method: 'GET',
  path: 'channel/user',
  tag: 'Channel',
  summary: 'Channels that a user has cast in, the most recent first',
  query: Type.Object({
    fid: fidParameter({ description: 'The user.' }),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: UsersActiveChannelsResponse,

  async handle({ db, hydrator }, { fid, limit, cursor }) {
    const keys = await activeChannels(db, fid, limit + 1, cursors.decode(cursor))
    const { channels, next } = await channelPage(hydrator, keys, limit, cursors)
    return `{"channels":${channels},"next":${next}}`
  },
})
