import { ChannelMemberAction as Action } from '../../../protocol/definitions.js'
import { ChannelMemberState as State } from '../../../protocol/proto/generated/channel_requests.js'

/** Role of the sender of a channel message in the channel. */
export type ChannelRole = 'owner' | 'moderator' | 'member' | 'other'

/** A change of a member that a user wants to make. */
export interface MemberChange {
  readonly action: Action
  /** Role of the sender. The owner is one whatever the member row says. */
  readonly role: ChannelRole
  /** The sender is the target. */
  readonly isSelf: boolean
  /** State of the target before. */
  readonly state: State
  readonly targetIsOwner: boolean
  /** Everyone may join. */
  readonly isOpen: boolean
}

/** The states from which an action is possible, and that after it. */
const transitions: Readonly<Record<number, { readonly from: readonly State[]; readonly to: State }>> = {
  [Action.ADD_MEMBER]: { from: [State.NONE, State.REMOVED], to: State.MEMBER },
  [Action.REMOVE_MEMBER]: { from: [State.MEMBER, State.MODERATOR], to: State.REMOVED },
  [Action.ADD_MODERATOR]: { from: [State.NONE, State.REMOVED, State.MEMBER], to: State.MODERATOR },
  [Action.REMOVE_MODERATOR]: { from: [State.MODERATOR], to: State.MEMBER },
  [Action.BAN]: { from: [State.NONE, State.REMOVED, State.MEMBER, State.MODERATOR], to: State.BANNED },
  [Action.UNBAN]: { from: [State.BANNED], to: State.REMOVED },
}

const wrongState = 'invalid channel target state'

/** The refusal of a sender whose role does not allow an action. */
export const UNAUTHORIZED = 'unauthorized channel action'

/** Returns the state of a member after an action. It depends on the action only. */
export function stateAfter(action: Action): State {
  return transitions[action]!.to
}

/** Returns the role of a user who is not the owner. */
export function roleOf(state: State): ChannelRole {
  if (state === State.MODERATOR) return 'moderator'
  return state === State.MEMBER ? 'member' : 'other'
}

/** Returns why a member may not be changed so, in the protocol's order (docs/protocol.md §7.1.3); null if allowed. */
export function refusedChange(change: MemberChange): string | null {
  const { action, state } = change
  if (action === Action.BAN && change.targetIsOwner) return 'channel owner cannot be banned'
  if (state === State.BANNED && action !== Action.UNBAN) return 'channel member is banned'
  if (!transitions[action]!.from.includes(state)) return wrongState
  if (isAllowed(change)) return null
  return action === Action.REMOVE_MEMBER ? wrongState : UNAUTHORIZED
}

function isAllowed({ action, role, isSelf, state, isOpen }: MemberChange): boolean {
  const isLeader = role === 'owner' || role === 'moderator'
  switch (action) {
    case Action.ADD_MEMBER:
      return isLeader || (isSelf && isOpen)
    case Action.REMOVE_MEMBER:
      return isSelf || (isLeader && state === State.MEMBER)
    case Action.BAN:
      return role === 'owner' || (role === 'moderator' && state !== State.MODERATOR)
    case Action.UNBAN:
      return isLeader
    default:
      return role === 'owner'
  }
}
