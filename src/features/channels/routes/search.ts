import { Type } from '@sinclair/typebox'
import {
  cursorParameter,
  limitParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { ChannelSearchResponse } from '../../../graph/view/schema/channel.js'
import { defineOperation } from '../../operation.js'
import { searchChannels } from '../queries.js'
import { channelCursor, channelPage } from './channel-page.js'

const cursors = channelCursor('channels by likeness')

/** `GET channel/search` */
export const channelSearch = defineOperation({
  method: 'GET',
  path: 'channel/search',
  tag: 'Channel',
  summary: 'Channels by a part of their id or name',
  description: 'Those that begin with it first, and among equals those with the most followers.',
  query: Type.Object({
    q: textParameter({ maxLength: 200, description: 'A part of the id or the name, in any case.' }),
    limit: limitParameter({ maximum: 200, default: 20 }),
    cursor: cursorParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: ChannelSearchResponse,

  async handle({ db, hydrator }, { q, limit, cursor, viewer_fid }) {
    const keys = await searchChannels(db, q, limit + 1, cursors.decode(cursor))
    const { channels, next } = await channelPage(hydrator, keys, limit, cursors, viewer_fid)
    return `{"channels":${channels},"next":${next}}`
  },
})
