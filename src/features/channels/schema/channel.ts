import { Type } from '@sinclair/typebox'
import { Channel, ChannelOrChannelDehydrated } from '../../../graph/view/schema/channel.js'
import {
  ChannelId,
  ChannelMemberRole,
  NextCursor,
  namedObject,
} from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'

/** A channel and its recent number of casts. */
export const ChannelActivity = namedObject('ChannelActivity', {
  object: Type.Literal('channel_activity'),
  cast_count_1d: Type.String({ examples: ['96'] }),
  cast_count_7d: Type.String({ examples: ['702'] }),
  cast_count_30d: Type.String({ examples: ['3120'] }),
  channel: Channel,
})

export const TrendingChannelResponse = namedObject('TrendingChannelResponse', {
  channels: Type.Array(ChannelActivity),
  next: NextCursor,
})

export const ChannelResponse = namedObject('ChannelResponse', { channel: Channel })

export const ChannelResponseBulk = namedObject('ChannelResponseBulk', { channels: Type.Array(Channel) })

export const ChannelSearchResponse = namedObject('ChannelSearchResponse', {
  channels: Type.Array(Channel),
  next: NextCursor,
})

export const UsersActiveChannelsResponse = namedObject('UsersActiveChannelsResponse', {
  channels: Type.Optional(Type.Array(Channel)),
  next: Type.Optional(NextCursor),
})

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
