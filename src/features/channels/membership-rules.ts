import type { ChannelMemberRole } from '../../graph/view/schema/primitives.js'
import type { Refusal } from '../../platform/errors.js'

/** A role that a user can be invited to. The owner is the channel's lead and cannot be invited. */
export type InvitedRole = Exclude<ChannelMemberRole, 'owner'>

/** Most active and invited moderators together (docs/protocol.md §7.1). */
export const MAX_MODERATORS = 10

/** Why a membership change is refused, and the invalid request member if there is one. */
export interface MembershipRefusal extends Refusal {
  readonly property?: string
}

/** The membership of a user in a channel, and the role of the caller. */
export interface MembershipState {
  readonly role: ChannelMemberRole | null
  /** The role of the caller. */
  readonly callerRole: ChannelMemberRole | null
  /** The user's last invite. */
  readonly invite: {
    readonly role: InvitedRole
    readonly state: 'invited' | 'accepted' | 'rejected' | 'withdrawn'
  } | null
  readonly isRegistered: boolean
  /** Whether the user follows the channel or the caller. */
  readonly isFollowing: boolean
  /** Number of active and invited moderators. */
  readonly moderators: number
}

/** A requested change of a membership. */
export type MembershipChange =
  | { readonly kind: 'none'; readonly message: string }
  | { readonly kind: 'invite'; readonly role: InvitedRole }
  | { readonly kind: 'accept'; readonly role: InvitedRole }
  | { readonly kind: 'reject' }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'demote' }
  /** With `isRestricted` others have removed the user. Either way they return only by a new invite. */
  | { readonly kind: 'remove'; readonly isRestricted: boolean }

type MembershipDecision = MembershipChange | MembershipRefusal

const sufficientRoles: Readonly<Record<InvitedRole, readonly (ChannelMemberRole | null)[]>> = {
  member: ['member', 'moderator', 'owner'],
  moderator: ['moderator', 'owner'],
}

/**
 * Decides whether a user may be invited (docs/protocol.md §7.1), and the resulting change. A repeated invite
 * changes nothing.
 */
export function decideInvite(membership: MembershipState, role: ChannelMemberRole): MembershipDecision {
  if (role === 'owner') return ownerRoleRefusal()
  const refusal = refuseCaller(membership, role)
  if (refusal) return refusal
  if (!membership.isRegistered)
    return { code: 'not_found', message: 'there is no such user', property: 'fid' }
  if (sufficientRoles[role].includes(membership.role)) {
    return { kind: 'none', message: `this user is ${membership.role} already` }
  }
  if (isInviteOpen(membership, role)) return { kind: 'none', message: 'this user is invited already' }
  return role === 'member' ? decideMemberInvite(membership) : decideModeratorInvite(membership)
}

function decideMemberInvite({ isFollowing }: MembershipState): MembershipDecision {
  if (isFollowing) return { kind: 'invite', role: 'member' }
  return invalidField('fid', 'must follow the channel or the inviting user')
}

function decideModeratorInvite({ role, moderators }: MembershipState): MembershipDecision {
  if (role !== 'member') return invalidField('fid', 'must be a member before being invited as moderator')
  if (moderators < MAX_MODERATORS) return { kind: 'invite', role: 'moderator' }
  return {
    code: 'conflict',
    message: `a channel has at most ${MAX_MODERATORS} moderators, those who are invited among them`,
    property: 'role',
  }
}

/** Decides the result of an invite's answer. Answers are final: a second one is refused. */
export function decideAnswer(
  membership: MembershipState,
  role: ChannelMemberRole,
  accept: boolean,
): MembershipDecision {
  if (role === 'owner') return ownerRoleRefusal()
  if (isInviteOpen(membership, role)) return accept ? { kind: 'accept', role } : { kind: 'reject' }
  const { invite } = membership
  if (invite?.role === role && (invite.state === 'accepted' || invite.state === 'rejected')) {
    return { code: 'conflict', message: `this invite was ${invite.state} already, and an answer is final` }
  }
  return { code: 'not_found', message: `there is no open invite to become ${role}` }
}

/**
 * Decides the result of removing a role: ends the role, or the invite to it. Removing a member also ends the moderator
 * role. Members may leave and moderators step down by themselves.
 */
export function decideRemoval(
  membership: MembershipState,
  role: ChannelMemberRole,
  isSelf: boolean,
): MembershipDecision {
  if (role === 'owner') return ownerRoleRefusal()
  const isLeaving = isSelf && membership.role !== null
  if (membership.role === 'owner') return forbiddenRefusal('the owner cannot be removed')
  const heldRole = role === 'member' ? membership.role : membership.role === 'moderator' ? 'moderator' : null
  const refusal = isLeaving ? null : refuseCaller(membership, heldRole === 'moderator' ? heldRole : role)
  if (refusal) return refusal
  if (heldRole !== null) {
    return role === 'moderator' ? { kind: 'demote' } : { kind: 'remove', isRestricted: !isLeaving }
  }
  if (isInviteOpen(membership, role)) return { kind: 'withdraw' }
  return {
    code: 'not_found',
    message: `this user is no ${role} and not invited to become one`,
    property: 'fid',
  }
}

/** Returns a refusal unless the caller may change this role: the owner changes all, moderators only members. */
function refuseCaller({ callerRole }: MembershipState, role: InvitedRole): MembershipRefusal | null {
  if (callerRole === 'owner') return null
  if (role === 'moderator')
    return forbiddenRefusal('only the owner of the channel can appoint and remove moderators')
  return callerRole === 'moderator'
    ? null
    : forbiddenRefusal('only the owner and moderators of the channel can do this')
}

function isInviteOpen({ invite }: MembershipState, role: InvitedRole): boolean {
  return invite?.state === 'invited' && invite.role === role
}

function ownerRoleRefusal(): MembershipRefusal {
  return invalidField('role', 'must be member or moderator: the owner is always the lead of the channel')
}

function forbiddenRefusal(message: string): MembershipRefusal {
  return { code: 'forbidden', message }
}

function invalidField(property: string, problem: string): MembershipRefusal {
  return { code: 'bad_request.invalid_param', message: `${property} ${problem}`, property }
}
