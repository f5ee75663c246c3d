import type { ChannelMemberRole } from '../../graph/view/schema/primitives.js'
import { PlazaError } from '../../platform/errors.js'
import { ChannelMemberAction } from '../../protocol/definitions.js'
import type { OperationContext } from '../operation.js'
import type { Author } from '../publishing/author.js'
import { findMember, type MemberRow } from './membership-lists.js'
import { type ProtocolChannel, publishMember } from './protocol-channels.js'

/** User and role of a change of a channel of the protocol. */
export interface ProtocolMembershipRequest {
  readonly fid: number
  readonly role: ChannelMemberRole
}

const rank: Readonly<Record<ChannelMemberRole, number>> = { member: 1, moderator: 2, owner: 3 }

/**
 * Gives a role to a user. The protocol has no invites: what an invite is in other channels takes effect at once.
 *
 * @returns A message for people.
 * @throws PlazaError `forbidden` for what the author's role does not allow, `conflict` for an eleventh moderator.
 */
export async function addProtocolMember(
  context: OperationContext,
  author: Author,
  channel: ProtocolChannel,
  { fid, role }: ProtocolMembershipRequest,
): Promise<string> {
  refuseOwnerRole(role)
  const current = await findMember(context.writerDb, channel.id, fid)
  if (current && rank[current.role] >= rank[role]) {
    if (fid !== author.fid) await refuseStranger(context, author, channel, role, 'appoint')
    return `this user is ${current.role} already`
  }
  const users = await context.writerDb`select 1 from social.users where fid = ${fid}::bigint`
  if (users.length === 0) throw new PlazaError('not_found', 'there is no such user', { property: 'fid' })
  const action = role === 'member' ? ChannelMemberAction.ADD_MEMBER : ChannelMemberAction.ADD_MODERATOR
  await publishMember(context, author, channel, fid, action)
  return `now a ${role}`
}

/**
 * Accepts or rejects membership as the author: to accept is to join, which an open channel allows, and to reject
 * is to leave.
 */
export async function answerProtocolMembership(
  context: OperationContext,
  author: Author,
  channel: ProtocolChannel,
  role: ChannelMemberRole,
  accept: boolean,
): Promise<string> {
  refuseOwnerRole(role)
  const asMember = { fid: author.fid, role: 'member' } as const
  if (accept && role === 'member') return await addProtocolMember(context, author, channel, asMember)
  const current = await findMember(context.writerDb, channel.id, author.fid)
  if (!accept) {
    requireRole(current, role)
    // Only the owner ends the role of a moderator: a moderator who rejects it leaves.
    return await removeProtocolMember(context, author, channel, asMember)
  }
  if (current && rank[current.role] >= rank[role]) return `this user is ${current.role} already`
  throw new PlazaError('not_found', 'there are no invites in this channel: its owner appoints moderators')
}

/** Refuses an author whom the hub would refuse: where nothing is published, or where the hub blames the member's state. */
async function refuseStranger(
  { writerDb }: OperationContext,
  { fid }: Author,
  channel: ProtocolChannel,
  role: 'member' | 'moderator',
  change: 'appoint' | 'remove',
): Promise<void> {
  const own = await findMember(writerDb, channel.id, fid)
  if (own && (own.role === 'owner' || (own.role === 'moderator' && role === 'member'))) return
  throw new PlazaError('forbidden', `this user may ${change} no ${role}`)
}

/** Ends a role of a user. Ending the membership of a moderator takes two messages, unless it is the author's own. */
export async function removeProtocolMember(
  context: OperationContext,
  author: Author,
  channel: ProtocolChannel,
  { fid, role }: ProtocolMembershipRequest,
): Promise<string> {
  refuseOwnerRole(role)
  const current = await findMember(context.writerDb, channel.id, fid)
  if (current?.role === 'owner') throw new PlazaError('forbidden', 'the owner cannot be removed')
  const isModerator = requireRole(current, role).role === 'moderator'
  if (role === 'member' && fid !== author.fid) await refuseStranger(context, author, channel, role, 'remove')
  if (role === 'moderator' || (isModerator && fid !== author.fid)) {
    await publishMember(context, author, channel, fid, ChannelMemberAction.REMOVE_MODERATOR)
  }
  if (role === 'moderator') return 'no moderator any more'
  await publishMember(context, author, channel, fid, ChannelMemberAction.REMOVE_MEMBER)
  return fid === author.fid ? 'left the channel' : 'removed from the channel'
}

function requireRole(current: MemberRow | null, role: ChannelMemberRole): MemberRow {
  if (current && rank[current.role] >= rank[role]) return current
  throw new PlazaError('not_found', `this user is no ${role}`, { property: 'fid' })
}

function refuseOwnerRole(role: ChannelMemberRole): asserts role is 'member' | 'moderator' {
  if (role !== 'owner') return
  throw new PlazaError(
    'bad_request.invalid_param',
    'role must be member or moderator: the owner of the channel is who owns its registration',
    { property: 'role' },
  )
}
