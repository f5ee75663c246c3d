import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ChannelMemberListResponse } from '../../../graph/view/schema/channel-member.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { removeMember } from '../membership.js'
import { findMember, listMembers, listMemberships } from '../membership-lists.js'
import { ChannelMemberReqBody, callLimitText, membershipReply } from './membership-reply.js'

const memberCursors = cursorKind('channel members', keyPart.integer, keyPart.integer)

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
        ? await listMembers(db, channel_id, limit + 1, memberCursors.decode(cursor))
        : [await findMember(db, channel_id, fid)].filter((member) => member !== null)
    const { page, next } = memberCursors.page(found, limit, (last) => [last.memberSince, last.fid])
    const users = await hydrator.users(page.map((member) => member.fid))
    const channelJson = JSON.stringify(channel)
    const members = page.flatMap((member) => {
      const user = users.get(member.fid)
      if (user === undefined) return []
      return [`{"object":"member","role":"${member.role}","user":${user},"channel":${channelJson}}`]
    })
    return `{"members":${jsonArray(members)},"next":${JSON.stringify(next)}}`
  },
})

/** `DELETE channel/member` */
export const channelMemberRemove = defineOperation({
  method: 'DELETE',
  path: 'channel/member',
  tag: 'Channel',
  summary: 'Takes a role in a channel from a user, or withdraws the invite to it',
  description: [
    'The owner and moderators remove members; the owner alone removes moderators and withdraws invites to become one.',
    '`moderator` leaves a moderator as a member; `member` ends the membership whatever the role, and the open invite',
    'with it. Who was removed comes back by a new invite only. Members may leave, and moderators step down, by their',
    'own signer.',
    callLimitText,
  ].join(' '),
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or the user has neither the role nor an invite to it.',
  forbidden: 'The signer may not act, or who asks may not remove this user; nobody removes the owner.',

  async handle({ signers, writerDb, hydrator, clock }, { signer_uuid, channel_id, fid, role }, { appId }) {
    const { fid: callerFid } = await signers.findFresh({
      signerUuid: signer_uuid,
      appId,
      permission: 'any write',
    })
    const membershipRequest = { channelId: channel_id, callerFid, fid, role }
    return membershipReply(
      await removeMember(
        { db: writerDb, invalidation: hydrator.invalidation },
        membershipRequest,
        Math.floor(clock() / 1000),
      ),
    )
  },
})

const membershipCursors = cursorKind('memberships of a user', keyPart.integer, keyPart.text)

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
    const found = await listMemberships(db, fid, limit + 1, membershipCursors.decode(cursor))
    const { page, next } = membershipCursors.page(found, limit, (last) => [last.memberSince, last.channelId])
    const channels = await hydrator.channels(page.map(({ channelId }) => channelId))
    const user = (await hydrator.dehydratedUsers(page.length > 0 ? [fid] : [])).get(fid)
    const members = page.flatMap(({ channelId, role }) => {
      const channel = channels.get(channelId)
      if (!channel || !user) return []
      return [`{"object":"member","role":"${role}","user":${JSON.stringify(user)},"channel":${channel}}`]
    })
    return `{"members":${jsonArray(members)},"next":${JSON.stringify(next)}}`
  },
})
