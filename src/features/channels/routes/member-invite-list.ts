import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ChannelMemberInviteListResponse } from '../../../graph/view/schema/channel-member.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { findInvite, type InviteRow, listInvitesOf, listInvitesTo } from '../membership-lists.js'
import { channelExists } from '../queries.js'

const byUser = cursorKind('invites to a channel', keyPart.integer, keyPart.integer)
const byChannel = cursorKind('invites of a user', keyPart.integer, keyPart.text)

interface InviteListQuery {
  readonly channel_id?: string
  readonly invited_fid?: number
  readonly limit: number
  readonly cursor?: string
}

interface InvitePage {
  readonly invites: readonly InviteRow[]
  readonly next: string | null
}

/** `GET channel/member/invite/list` */
export const channelMemberInviteList = defineOperation({
  method: 'GET',
  path: 'channel/member/invite/list',
  tag: 'Channel',
  summary: 'Open invites to a channel, or of a user, the newest first',
  description:
    'At least one of `channel_id` and `invited_fid` is needed; with both, the one invite that there may be.',
  query: Type.Object({
    channel_id: Type.Optional(textParameter({ maxLength: 256, description: 'The channel.' })),
    invited_fid: Type.Optional(fidParameter({ description: 'The user.' })),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: ChannelMemberInviteListResponse,

  async handle({ db, hydrator }, listQuery) {
    const { channel_id } = listQuery
    const { invites, next } = await pageOf(db, listQuery)
    if (invites.length === 0 && channel_id !== undefined && !(await channelExists(db, channel_id))) {
      throw invalidField('channel_id', 'is no channel')
    }
    return `{"invites":${jsonArray(await invitesJson(hydrator, invites))},"next":${JSON.stringify({ cursor: next })}}`
  },
})

async function pageOf(db: OperationContext['db'], listQuery: InviteListQuery): Promise<InvitePage> {
  const { channel_id, invited_fid, limit, cursor } = listQuery
  if (channel_id !== undefined && invited_fid !== undefined) {
    // One invite has no second page.
    if (cursor !== undefined) throw invalidField('cursor', 'goes with one of channel_id and invited_fid')
    const invite = await findInvite(db, channel_id, invited_fid)
    return { invites: invite ? [invite] : [], next: null }
  }
  if (channel_id !== undefined) {
    const found = await listInvitesTo(db, channel_id, limit + 1, byUser.decode(cursor))
    return toPage(found, limit, (last) => byUser.encode([last.invitedAt, last.fid]))
  }
  if (invited_fid === undefined) throw invalidField('channel_id', 'or invited_fid is required')
  const found = await listInvitesOf(db, invited_fid, limit + 1, byChannel.decode(cursor))
  return toPage(found, limit, (last) => byChannel.encode([last.invitedAt, last.channelId]))
}

function toPage(found: readonly InviteRow[], limit: number, encode: (last: InviteRow) => string): InvitePage {
  const invites = found.slice(0, limit)
  const last = found.length > limit ? invites.at(-1) : undefined
  return { invites, next: last ? encode(last) : null }
}

async function invitesJson(hydrator: Hydrator, invites: readonly InviteRow[]): Promise<string[]> {
  const users = await hydrator.users(invites.flatMap(({ fid, inviterFid }) => [fid, inviterFid]))
  return invites.flatMap(({ channelId, fid, inviterFid, role }) => {
    const invited = users.get(fid)
    const inviter = users.get(inviterFid)
    if (!invited || !inviter) return []
    const channel = JSON.stringify(channelId)
    return [`{"channel_id":${channel},"role":"${role}","inviter":${inviter},"invited":${invited}}`]
  })
}
