import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ChannelMemberListResponse } from '../../../graph/view/schema/channel-member.js'
import { defineOperation } from '../../operation.js'
import { findMember, listMembers } from '../membership-lists.js'

const cursors = cursorKind('channel members', keyPart.integer, keyPart.integer)

/** `GET channel/member/list` */
export const channelMemberList = defineOperation({
  method: 'GET',
  path: 'channel/member/list',
  tag: 'Channel',
  summary: 'Members of a channel, the newest first',
  description: 'Its owner and moderators are among them. With `fid`, that user alone, if it is a member.',
  query: Type.Object({
    channel_id: textParameter({ maxLength: 256, description: 'The channel.' }),
    fid: Type.Optional(fidParameter({ description: 'Whether this user is a member.' })),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: ChannelMemberListResponse,

  async handle({ db, hydrator }, { channel_id, fid, limit, cursor }) {
    const channel = (await hydrator.dehydratedChannels([channel_id])).get(channel_id)
    if (!channel) throw invalidField('channel_id', 'is no channel')
    // One member has no second page.
    if (fid !== undefined && cursor !== undefined) throw invalidField('cursor', 'goes with no fid')
    const found =
      fid === undefined
        ? await listMembers(db, channel_id, limit + 1, cursors.decode(cursor))
        : [await findMember(db, channel_id, fid)].filter((member) => member !== null)
    const page = found.slice(0, limit)
    const users = await hydrator.users(page.map((member) => member.fid))
    const channelJson = JSON.stringify(channel)
    const members = page.flatMap((member) => {
      const user = users.get(member.fid)
      if (user === undefined) return []
      return [`{"object":"member","role":"${member.role}","user":${user},"channel":${channelJson}}`]
    })
    const last = found.length > limit ? page.at(-1) : undefined
    const next = { cursor: last ? cursors.encode([last.memberSince, last.fid]) : null }
    return `{"members":${jsonArray(members)},"next":${JSON.stringify(next)}}`
  },
})
