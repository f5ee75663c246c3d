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
  tag: 'Channels',
  summary: 'Invite user to a channel',
  description:
    'The owner and moderators may invite as members users who follow the channel or the inviter. Only the ' +
    'owner may invite members to become moderators; a channel has at most ten active and invited ' +
    'moderators. A user has one open invite to a channel at a time. Inviting a user who is already ' +
    `invited, or has the role or a higher one, succeeds without effect. ${callLimitText}`,
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer, channel or user.',
  forbidden: 'The signer may not act, or its user may not invite.',
  conflict: 'The channel has its maximum of active and invited moderators.',

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
  tag: 'Channels',
  summary: 'Accept or reject an invite to a channel',
  description:
    'Requires the signer of the invited user. An answer is final; changing it takes a new invite. ' +
    `${callLimitText}`,
  body: RespondChannelInviteReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or no open invite for the role.',
  forbidden: 'The signer may not act.',
  conflict: 'The invite has already been answered.',

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
  tag: 'Channels',
  summary: 'Fetch open invites to channels',
  description:
    'Newest first. `channel_id` or `invited_fid` is required; with both, the reply has the one open ' +
    'invite of the user to the channel, if there is one.',
  query: Type.Object({
    channel_id: Type.Optional(
      textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
    ),
    invited_fid: Type.Optional(fidParameter({ description: 'Fid of the user.' })),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: ChannelMemberInviteListResponse,

  async handle({ db, hydrator }, listQuery) {
    const { channel_id } = listQuery
    const { page, next } = await pageOf(db, listQuery)
    if (page.length === 0 && channel_id !== undefined && !(await channelExists(db, channel_id))) {
      throw invalidField('channel_id', 'is not a channel')
    }
    return `{"invites":${jsonArray(await invitesJson(hydrator, page))},"next":${JSON.stringify(next)}}`
  },
})

async function pageOf(db: OperationContext['db'], listQuery: InviteListQuery): Promise<InvitePage> {
  const { channel_id, invited_fid, limit, cursor } = listQuery
  if (channel_id !== undefined && invited_fid !== undefined) {
    // A single invite has no second page.
    if (cursor !== undefined)
      throw invalidField('cursor', 'cannot be used with both channel_id and invited_fid')
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
