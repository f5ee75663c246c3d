import { type Static, Type } from '@sinclair/typebox'
import { ChannelOrChannelDehydrated } from './channel.js'
import { NextCursor } from './paging.js'
import { ChannelId, ChannelMemberRole } from './primitives.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A user and its role in a channel. */
export const ChannelMember = Type.Object(
  {
    object: Type.Literal('member'),
    role: ChannelMemberRole,
    user: Type.Union([User, UserDehydrated]),
    channel: {
      ...ChannelOrChannelDehydrated,
      examples: [{ id: 'gardening', name: 'Gardening', object: 'channel_dehydrated' }],
    },
  },
  { $id: 'ChannelMember' },
)
export type ChannelMember = Static<typeof ChannelMember>

export const ChannelMemberListResponse = Type.Object(
  { members: Type.Array(ChannelMember), next: NextCursor },
  { $id: 'ChannelMemberListResponse' },
)
export type ChannelMemberListResponse = Static<typeof ChannelMemberListResponse>

/** An open invite. */
export const ChannelMemberInvite = Type.Object(
  { channel_id: ChannelId, role: ChannelMemberRole, inviter: User, invited: User },
  { $id: 'ChannelMemberInvite' },
)
export type ChannelMemberInvite = Static<typeof ChannelMemberInvite>

export const ChannelMemberInviteListResponse = Type.Object(
  { invites: Type.Array(ChannelMemberInvite), next: Type.Optional(NextCursor) },
  { $id: 'ChannelMemberInviteListResponse' },
)
export type ChannelMemberInviteListResponse = Static<typeof ChannelMemberInviteListResponse>
