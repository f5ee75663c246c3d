import type { ChannelMemberRole } from '../../graph/view/schema/primitives.js'
import type { Refusal } from '../../platform/errors.js'

/** A role that one is invited to. A channel has one owner: its lead. */
export type InvitedRole = Exclude<ChannelMemberRole, 'owner'>

/** Active and invited ones together (docs/protocol.md §7.1). */
export const MAX_MODERATORS = 10

/** Why a membership stays as it is, and the member of the request that is at fault, where there is one. */
export interface MembershipRefusal extends Refusal {
  readonly property?: string
  /** When it is for having asked too often: how long to wait. */
  readonly retryAfterSeconds?: number
}

/** How a channel and a user stand to each other, and who asks for a change of it. */
export interface MembershipState {
  readonly role: ChannelMemberRole | null
  /** The role of who asks. */
  readonly callerRole: ChannelMemberRole | null
  /** The user's last invite. */
  readonly invite: {
    readonly role: InvitedRole
    readonly state: 'invited' | 'accepted' | 'rejected' | 'withdrawn'
  } | null
  readonly isRegistered: boolean
  /** Whether the user follows the channel, or who asks. */
  readonly isFollowing: boolean
  /** Moderators that the channel has or has invited. */
  readonly moderators: number
}

/** What is done about a membership. */
export type MembershipChange =
  | { readonly kind: 'none'; readonly message: string }
  | { readonly kind: 'invite'; readonly role: InvitedRole }
  | { readonly kind: 'accept'; readonly role: InvitedRole }
  | { readonly kind: 'reject' }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'demote' }
  /** `isRestricted`: only a new invite lets them in again. Who leaves is free to come back. */
  | { readonly kind: 'remove'; readonly isRestricted: boolean }

type MembershipDecision = MembershipChange | MembershipRefusal

const sufficientRoles: Readonly<Record<InvitedRole, readonly (ChannelMemberRole | null)[]>> = {
  member: ['member', 'moderator', 'owner'],
  moderator: ['moderator', 'owner'],
}

/** Whether somebody may be invited (docs/protocol.md §7.1), and to what it comes. Inviting again changes nothing. */
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
  return invalidField('fid', 'must follow the channel or who invites')
}

function decideModeratorInvite({ role, moderators }: MembershipState): MembershipDecision {
  if (role !== 'member') return invalidField('fid', 'must be a member already to be invited as moderator')
  if (moderators < MAX_MODERATORS) return { kind: 'invite', role: 'moderator' }
  return {
    code: 'conflict',
    message: `a channel has at most ${MAX_MODERATORS} moderators, those who are invited among them`,
    property: 'role',
  }
}

/** What an answer of the invited comes to. It is final: a second one is refused, whatever it says. */
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
 * What taking a role from somebody comes to: the role ends, or the invite to it does. Who is removed as a member is
 * no moderator either. Members may leave, and moderators step down, by themselves.
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

/** Members are the owner's and the moderators' business, moderators only the owner's. */
function refuseCaller({ callerRole }: MembershipState, role: InvitedRole): MembershipRefusal | null {
  if (callerRole === 'owner') return null
  if (role === 'moderator')
    return forbiddenRefusal('only the owner of the channel appoints and removes moderators')
  return callerRole === 'moderator'
    ? null
    : forbiddenRefusal('only the owner and moderators of the channel may do this')
}

function isInviteOpen({ invite }: MembershipState, role: InvitedRole): boolean {
  return invite?.state === 'invited' && invite.role === role
}

function ownerRoleRefusal(): MembershipRefusal {
  return invalidField(
    'role',
    'must be member or moderator: the owner is the lead of the channel, and nobody else',
  )
}

function forbiddenRefusal(message: string): MembershipRefusal {
  return { code: 'forbidden', message }
}

function invalidField(property: string, problem: string): MembershipRefusal {
  return { code: 'bad_request.invalid_param', message: `${property} ${problem}`, property }
}
