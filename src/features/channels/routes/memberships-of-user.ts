import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ChannelMemberListResponse } from '../../../graph/view/schema/channel-member.js'
import { defineOperation } from '../../operation.js'
import { listMemberships } from '../membership-lists.js'

const cursors = cursorKind('memberships of a user', keyPart.integer, keyPart.text)

/** `GET user/memberships/list` */
export const userMemberships = defineOperation({
  method: 'GET',
  path: 'user/memberships/list',
  tag: 'User',
  summary: 'Channels that a user is a member of',
  description: 'The last joined first; those that the user leads are among them. Changes show at once.',
  query: Type.Object({
    fid: fidParameter({ description: 'The user.' }),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: ChannelMemberListResponse,

  async handle({ db, hydrator }, { fid, limit, cursor }) {
    const found = await listMemberships(db, fid, limit + 1, cursors.decode(cursor))
    const page = found.slice(0, limit)
    const channels = await hydrator.channels(page.map(({ channelId }) => channelId))
    const user = (await hydrator.dehydratedUsers(page.length > 0 ? [fid] : [])).get(fid)
    const members = page.flatMap(({ channelId, role }) => {
      const channel = channels.get(channelId)
      if (!channel || !user) return []
      return [`{"object":"member","role":"${role}","user":${JSON.stringify(user)},"channel":${channel}}`]
    })
    const last = found.length > limit ? page.at(-1) : undefined
    const next = { cursor: last ? cursors.encode([last.memberSince, last.channelId]) : null }
    return `{"members":${jsonArray(members)},"next":${JSON.stringify(next)}}`
  },
})
