import type { Operation } from '../../operation.js'
import { channelCreate } from './create.js'
import { channelEdit } from './edit.js'
import { channelMemberInvite } from './member-invite.js'
import { channelMemberInviteAnswer } from './member-invite-answer.js'
import { channelMemberInviteList } from './member-invite-list.js'
import { channelMemberList } from './member-list.js'
import { channelMemberRemove } from './member-remove.js'
import { userMemberships } from './memberships-of-user.js'

/** Channels: who makes them and who belongs to them. */
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
