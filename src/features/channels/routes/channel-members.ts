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
  tag: 'Channels',
  summary: 'Fetch members of a channel',
  description:
    'Newest member first, including the owner and moderators. With `fid`, only this user, if it is a ' +
    'member.',
  query: Type.Object({
    channel_id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
    fid: Type.Optional(fidParameter({ description: 'Only this user.', examples: [] })),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: ChannelMemberListResponse,

  async handle({ db, hydrator }, { channel_id, fid, limit, cursor }) {
    const channel = (await hydrator.dehydratedChannels([channel_id])).get(channel_id)
    if (!channel) throw invalidField('channel_id', 'is not a channel')
    // A single member has no second page.
    if (fid !== undefined && cursor !== undefined) throw invalidField('cursor', 'cannot be used with fid')
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
  tag: 'Channels',
  summary: 'Remove user from a channel',
  description:
    'Ends a role or withdraws an open invite to it. The owner and moderators may remove members; only the ' +
    'owner may remove moderators or withdraw their invites. `role=moderator` turns a moderator into a ' +
    'member; `role=member` ends the membership whatever the role, and any open invite. A removed user ' +
    'needs a new invite to return. Members may leave, and moderators may step down, with their own ' +
    `signer. ${callLimitText}`,
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or the user has neither the role nor an invite to it.',
  forbidden: 'The signer may not act, or its user may not remove this user. Nobody may remove the owner.',

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
  tag: 'Channels',
  summary: 'Fetch channels that a user is a member of',
  description:
    'Most recently joined first, including channels that the user leads. Changes are visible at once.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
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
