import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { readFollowedChannels } from '../../../graph/query/users.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ChannelListResponse } from '../../../graph/view/schema/channel.js'
import { defineOperation } from '../../operation.js'

const cursors = cursorKind('channels followed', keyPart.integer, keyPart.text)

/** `GET user/channels` */
export const userChannels = defineOperation({
  method: 'GET',
  path: 'user/channels',
  tag: 'Channels',
  summary: 'Fetch channels that a user follows',
  description: 'Most recently followed first.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
  }),
  reply: ChannelListResponse,

  async handle({ db, hydrator }, { fid, limit, cursor }) {
    const found = await readFollowedChannels(db, fid, limit + 1, cursors.decode(cursor))
    const { page, next } = cursors.page(found, limit, (last) => [last.followedAt, last.id])
    const channels = await hydrator.channels(page.map(({ id }) => id))
    return `{"channels":${jsonArray(page.flatMap(({ id }) => channels.get(id) ?? []))},"next":${JSON.stringify(next)}}`
  },
})
