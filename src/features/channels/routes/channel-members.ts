import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { listJson, userItems } from '../../../api/list-json.js'
import { choiceParameter, fidParameter, pagingParameters, textParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import type { CacheWriter } from '../../../graph/cache/invalidation.js'
import { Json, json } from '../../../graph/view/json.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { isRefusal, refusalError } from '../../../platform/errors.js'
import { cacheWriterOf, defineOperation, type Operation, type OperationContext } from '../../operation.js'
import type { Author } from '../../publishing/author.js'
import { actAs, signerUuidMember } from '../../publishing/routes/acting.js'
import { noSuchChannel, requireChannel } from '../find-channel.js'
import { answerInvite, inviteMember, MAX_CALLS_PER_HOUR, removeMember } from '../membership.js'
import { findMember, listInvites, listMembers, listMemberships } from '../membership-lists.js'
import { findProtocolChannel, type ProtocolChannel } from '../protocol-channels.js'
import { addProtocolMember, answerProtocolMembership, removeProtocolMember } from '../protocol-membership.js'
import { ChannelMemberInviteListResponse, ChannelMemberListResponse } from '../schema/channel.js'

const channelIdParameter = textParameter({
  maxLength: 256,
  description: 'Id of the channel.',
  examples: ['gardening'],
})

const membershipMembers = {
  signer_uuid: signerUuidMember,
  channel_id: channelIdParameter,
  role: choiceParameter(['member', 'moderator', 'owner'], {
    description: 'Role in the channel. `owner` is a 400: the owner is the lead of the channel.',
  }),
}

/** The body that invites or removes a member, as published clients send it. */
export const ChannelMemberReqBody = Type.Object({
  ...membershipMembers,
  fid: fidParameter({ minimum: 0, description: 'Fid of the user.', examples: [191] }),
})

/** The body that answers an invite, as published clients send it. */
export const RespondChannelInviteReqBody = Type.Object({
  ...membershipMembers,
  accept: Type.Boolean({ description: 'true accepts the invite, false rejects it.' }),
})

/** The part of a description that states the limit of calls. */
const callLimitText =
  `A user may invite, answer and remove ${MAX_CALLS_PER_HOUR} times an hour in a channel, including refused calls; ` +
  'more calls are a 429.'

/** Effect of a membership operation: in a channel of the protocol it publishes messages. */
interface MembershipWrites {
  readonly local: (writer: CacheWriter, callerFid: number, nowUnix: number) => ReturnType<typeof inviteMember>
  readonly protocol: (author: Author, channel: ProtocolChannel) => Promise<string>
}

/** Changes a membership as the user of the signer. Throws a refusal. */
async function changeMembership(
  context: OperationContext,
  caller: Caller,
  { signer_uuid: signerUuid, channel_id: channelId }: { signer_uuid: string; channel_id: string },
  change: MembershipWrites,
): Promise<OperationResponse> {
  const channel = await findProtocolChannel(context, channelId)
  if (channel !== null) {
    return await actAs(context, { signerUuid, caller, permission: 'WRITE_ALL' }, async (author) => ({
      success: true,
      message: await change.protocol(author, channel),
    }))
  }
  const request = { signerUuid, appId: caller.appId, permission: 'WRITE_ALL' } as const
  const { fid } = await context.signers.findFresh(request)
  const writer = cacheWriterOf(context)
  const outcome = await change.local(writer, fid, writer.nowUnix)
  if (isRefusal(outcome)) throw refusalError(outcome, outcome.property)
  return { success: true, message: outcome.message }
}

const memberCursors = cursorKind('channel members', keyPart.integer, keyPart.integer)

/** `GET channel/member/list` */
const channelMemberList = defineOperation({
  method: 'GET',
  path: 'channel/member/list',
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch members of a channel',
  description:
    'Newest member first, including the owner and moderators. With `fid`, only this user, if it is a ' +
    'member.',
  query: Type.Object({
    channel_id: channelIdParameter,
    fid: Type.Optional(fidParameter({ description: 'Only this user.', examples: [] })),
    ...pagingParameters(100, 20),
  }),
  reply: ChannelMemberListResponse,
  notFound: 'There is no such channel.',

  async handle({ db, hydrator }, { channel_id, fid, limit, cursor }, caller) {
    const channel = (await hydrator.dehydratedChannels([channel_id])).get(channel_id)
    if (!channel) throw noSuchChannel('channel_id')
    // A single member has no second page.
    if (fid !== undefined && cursor !== undefined) throw invalidField('cursor', 'cannot be used with fid')
    const found =
      fid === undefined
        ? await listMembers(db, {
            channelId: channel_id,
            hidden: [...(await viewerOf({ hydrator }, caller)).banned],
            limit: limit + 1,
            after: memberCursors.decode(cursor),
          })
        : [await findMember(db, channel_id, fid)].filter((member) => member !== null)
    const { page, next } = memberCursors.page(found, limit, (last) => [last.memberSince, last.fid])
    const channelJson = Json.of(channel)
    const members = await userItems(
      hydrator,
      page,
      undefined,
      (user, { role }) => json`{"object":"member","role":${role},"user":${user},"channel":${channelJson}}`,
    )
    return listJson('members', members, next)
  },
})

/** `DELETE channel/member` */
const channelMemberRemove = defineOperation({
  method: 'DELETE',
  path: 'channel/member',
  tag: 'Channels',
  summary: 'Remove user from a channel',
  description:
    'Ends a role or withdraws an open invite to it. The owner and moderators may remove members; only the ' +
    'owner may remove moderators or withdraw their invites. `role=moderator` turns a moderator into a ' +
    'member; `role=member` ends the membership whatever the role, and any open invite. A removed user ' +
    'needs a new invite to return. Members may leave, and moderators may step down, with their own ' +
    `signer. ${callLimitText} In a channel of the protocol the signer publishes messages, a removed user ` +
    'may be added again, and a moderator can only leave: the owner alone ends the role of a moderator.',
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or the user has neither the role nor an invite to it.',
  forbidden: 'The signer may not act, or its user may not remove this user. Nobody may remove the owner.',
  conflict: 'In a channel of the protocol, the role of the user has changed meanwhile.',

  async handle(context, body, caller) {
    const { channel_id: channelId, fid, role } = body
    return await changeMembership(context, caller, body, {
      local: (writer, callerFid, nowUnix) =>
        removeMember(writer, { channelId, callerFid, fid, role }, nowUnix),
      protocol: (author, channel) => removeProtocolMember(context, author, channel, { fid, role }),
    })
  },
})

const membershipCursors = cursorKind('memberships of a user', keyPart.integer, keyPart.text)

/** `GET user/memberships/list` */
const userMemberships = defineOperation({
  method: 'GET',
  path: 'user/memberships/list',
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch channels that a user is a member of',
  description:
    'Most recently joined first, including channels that the user leads. Changes are visible at once.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    ...pagingParameters(100, 20),
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
      return [json`{"object":"member","role":${role},"user":${user},"channel":${channel}}`]
    })
    return listJson('members', members, next)
  },
})

/** `POST channel/member/invite` */
const channelMemberInvite = defineOperation({
  method: 'POST',
  path: 'channel/member/invite',
  tag: 'Channels',
  summary: 'Invite user to a channel',
  description:
    'The owner and moderators may invite as members users who follow the channel or the inviter. Only the ' +
    'owner may invite members to become moderators; a channel has at most ten active and invited ' +
    'moderators. A user has one open invite to a channel at a time. Inviting a user who is already ' +
    `invited, or has the role or a higher one, succeeds without effect. ${callLimitText} In a channel of ` +
    'the protocol there are no invites: the signer publishes a message, and the user has the role at once.',
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer, channel or user.',
  forbidden: 'The signer may not act, or its user may not invite.',
  conflict: 'The channel has its maximum of active and invited moderators.',

  async handle(context, body, caller) {
    const { channel_id: channelId, fid, role } = body
    return await changeMembership(context, caller, body, {
      local: (writer, callerFid, nowUnix) =>
        inviteMember(writer, { channelId, callerFid, fid, role }, nowUnix),
      protocol: (author, channel) => addProtocolMember(context, author, channel, { fid, role }),
    })
  },
})

/** `PUT channel/member/invite` */
const channelMemberInviteAnswer = defineOperation({
  method: 'PUT',
  path: 'channel/member/invite',
  tag: 'Channels',
  summary: 'Accept or reject an invite to a channel',
  description:
    'Requires the signer of the invited user. An answer is final; changing it takes a new invite. ' +
    `${callLimitText} In a channel of the protocol, to accept is to join, which the channel must allow, and ` +
    'to reject is to leave; both publish a message.',
  body: RespondChannelInviteReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or no open invite for the role.',
  forbidden: 'The signer may not act.',
  conflict: 'The invite has already been answered.',

  async handle(context, body, caller) {
    const { channel_id: channelId, role, accept } = body
    return await changeMembership(context, caller, body, {
      local: (writer, fid, nowUnix) => answerInvite(writer, { channelId, fid, role, accept }, nowUnix),
      protocol: (author, channel) => answerProtocolMembership(context, author, channel, role, accept),
    })
  },
})

const byUser = cursorKind('invites to a channel', keyPart.integer, keyPart.integer)
const byChannel = cursorKind('invites of a user', keyPart.integer, keyPart.text)

/** `GET channel/member/invite/list` */
const channelMemberInviteList = defineOperation({
  method: 'GET',
  path: 'channel/member/invite/list',
  tag: 'Channels',
  summary: 'Fetch open invites to channels',
  description:
    'Newest first. `channel_id` or `invited_fid` is required; with both, the reply has the one open ' +
    'invite of the user to the channel, if there is one.',
  query: Type.Object({
    channel_id: Type.Optional(channelIdParameter),
    invited_fid: Type.Optional(fidParameter({ description: 'Fid of the user.' })),
    ...pagingParameters(100, 20),
  }),
  reply: ChannelMemberInviteListResponse,
  notFound: 'There is no such channel.',

  async handle({ db, hydrator }, { channel_id: channelId, invited_fid: fid, limit, cursor }, caller) {
    if (channelId === undefined && fid === undefined)
      throw invalidField('channel_id', 'or invited_fid is required')
    // A single invite has no second page.
    const isLookup = channelId !== undefined && fid !== undefined
    if (isLookup && cursor !== undefined)
      throw invalidField('cursor', 'cannot be used with both channel_id and invited_fid')
    const after = (channelId === undefined ? byChannel : byUser).decode(cursor)
    const hidden = isLookup ? [] : [...(await viewerOf({ hydrator }, caller)).banned]
    const found = await listInvites(db, { channelId, fid, hidden, limit: limit + 1 }, after)
    const { page, next } =
      channelId === undefined
        ? byChannel.page(found, limit, (last) => [last.invitedAt, last.channelId])
        : byUser.page(found, limit, (last) => [last.invitedAt, last.fid])
    if (page.length === 0 && channelId !== undefined) await requireChannel(db, channelId, 'channel_id')
    const users = await hydrator.users(page.flatMap((invite) => [invite.fid, invite.inviterFid]))
    const invites = page.flatMap((invite) => {
      const invited = users.get(invite.fid)
      const inviter = users.get(invite.inviterFid)
      if (!invited || !inviter) return []
      const { channelId, role } = invite
      return [json`{"channel_id":${channelId},"role":${role},"inviter":${inviter},"invited":${invited}}`]
    })
    return listJson('invites', invites, next)
  },
})

/** Operations on members of channels and invites. */
export const membershipOperations: readonly Operation[] = [
  channelMemberInvite,
  channelMemberInviteAnswer,
  channelMemberInviteList,
  channelMemberList,
  channelMemberRemove,
  userMemberships,
]
