import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ChannelMemberInviteListResponse } from '../../../graph/view/schema/channel-member.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { answerInvite, inviteMember } from '../membership.js'
import { findInvite, type InviteRow, listInvitesOf, listInvitesTo } from '../membership-lists.js'
import { channelExists } from '../queries.js'
import {
  ChannelMemberReqBody,
  callLimitText,
  membershipReply,
  RespondChannelInviteReqBody,
} from './membership-reply.js'

/** `POST channel/member/invite` */
export const channelMemberInvite = defineOperation({
  method: 'POST',
  path: 'channel/member/invite',
  tag: 'Channel',
  summary: 'Invites a user to a channel',
  description: [
    'The owner and moderators invite members, who follow the channel or who invites. The owner alone invites members',
    'to become moderators; active and invited ones are ten at most. A user has one open invite to a channel at a time;',
    'who is invited already, or has the role or a higher one, stays as it is, and the answer is a success.',
    callLimitText,
  ].join(' '),
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer, channel or user.',
  forbidden: 'The signer may not act, or who asks may not invite.',
  conflict: 'The channel has, or has invited, as many moderators as it may.',

  async handle({ signers, writerDb, hydrator, clock }, { signer_uuid, channel_id, fid, role }, { appId }) {
    const { fid: callerFid } = await signers.findFresh({
      signerUuid: signer_uuid,
      appId,
      permission: 'any write',
    })
    const membershipRequest = { channelId: channel_id, callerFid, fid, role }
    return membershipReply(
      await inviteMember(
        { db: writerDb, invalidation: hydrator.invalidation },
        membershipRequest,
        Math.floor(clock() / 1000),
      ),
    )
  },
})

/** `PUT channel/member/invite` */
export const channelMemberInviteAnswer = defineOperation({
  method: 'PUT',
  path: 'channel/member/invite',
  tag: 'Channel',
  summary: 'Accepts or rejects an invite to a channel',
  description: `By the signer of who was invited. An answer is final: it takes a new invite to change it. ${callLimitText}`,
  body: RespondChannelInviteReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or no open invite for the role.',
  forbidden: 'The signer may not act.',
  conflict: 'The invite was answered already.',

  async handle({ signers, writerDb, hydrator, clock }, { signer_uuid, channel_id, role, accept }, { appId }) {
    const { fid } = await signers.findFresh({ signerUuid: signer_uuid, appId, permission: 'any write' })
    const membershipRequest = { channelId: channel_id, fid, role, accept }
    return membershipReply(
      await answerInvite(
        { db: writerDb, invalidation: hydrator.invalidation },
        membershipRequest,
        Math.floor(clock() / 1000),
      ),
    )
  },
})

const byUser = cursorKind('invites to a channel', keyPart.integer, keyPart.integer)
const byChannel = cursorKind('invites of a user', keyPart.integer, keyPart.text)

interface InviteListQuery {
  readonly channel_id?: string
  readonly invited_fid?: number
  readonly limit: number
  readonly cursor?: string
}

interface InvitePage {
  readonly page: readonly InviteRow[]
  readonly next: { readonly cursor: string | null }
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
    const { page, next } = await pageOf(db, listQuery)
    if (page.length === 0 && channel_id !== undefined && !(await channelExists(db, channel_id))) {
      throw invalidField('channel_id', 'is no channel')
    }
    return `{"invites":${jsonArray(await invitesJson(hydrator, page))},"next":${JSON.stringify(next)}}`
  },
})

async function pageOf(db: OperationContext['db'], listQuery: InviteListQuery): Promise<InvitePage> {
  const { channel_id, invited_fid, limit, cursor } = listQuery
  if (channel_id !== undefined && invited_fid !== undefined) {
    // One invite has no second page.
    if (cursor !== undefined) throw invalidField('cursor', 'goes with one of channel_id and invited_fid')
    const invite = await findInvite(db, channel_id, invited_fid)
    return { page: invite ? [invite] : [], next: { cursor: null } }
  }
  if (channel_id !== undefined) {
    const found = await listInvitesTo(db, channel_id, limit + 1, byUser.decode(cursor))
    return byUser.page(found, limit, (last) => [last.invitedAt, last.fid])
  }
  if (invited_fid === undefined) throw invalidField('channel_id', 'or invited_fid is required')
  const found = await listInvitesOf(db, invited_fid, limit + 1, byChannel.decode(cursor))
  return byChannel.page(found, limit, (last) => [last.invitedAt, last.channelId])
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
