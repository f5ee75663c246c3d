import { Type } from '@sinclair/typebox'
import { ChannelOrChannelDehydrated } from './channel.js'
import { NextCursor } from './paging.js'
import { ChannelId, ChannelMemberRole } from './primitives.js'
import { namedObject } from './schema-type.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A user and its role in a channel. */
export const ChannelMember = namedObject('ChannelMember', {
  object: Type.Literal('member'),
  role: ChannelMemberRole,
  user: Type.Union([User, UserDehydrated]),
  channel: {
    ...ChannelOrChannelDehydrated,
    examples: [{ id: 'gardening', name: 'Gardening', object: 'channel_dehydrated' }],
  },
})

export const ChannelMemberListResponse = namedObject('ChannelMemberListResponse', {
  members: Type.Array(ChannelMember),
  next: NextCursor,
})

/** An open invite. */
export const ChannelMemberInvite = namedObject('ChannelMemberInvite', {
  channel_id: ChannelId,
  role: ChannelMemberRole,
  inviter: User,
  invited: User,
})

export const ChannelMemberInviteListResponse = namedObject('ChannelMemberInviteListResponse', {
  invites: Type.Array(ChannelMemberInvite),
  next: Type.Optional(NextCursor),
})
