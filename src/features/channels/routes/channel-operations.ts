import type { Operation } from '../../operation.js'
import { channelCreate, channelEdit } from './channel-edits.js'
import { channelMemberInvite, channelMemberInviteAnswer, channelMemberInviteList } from './channel-invites.js'
import { channelMemberList, channelMemberRemove, userMemberships } from './channel-members.js'

/** Operations on channels, their members and invites. */
export const membershipOperations: readonly Operation[] = [
  channelCreate,
  channelEdit,
  channelMemberInvite,
  channelMemberInviteAnswer,
  channelMemberInviteList,
  channelMemberList,
  channelMemberRemove,
  userMemberships,
]
