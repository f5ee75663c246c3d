import { type Static, Type } from '@sinclair/typebox'
import { ChannelDehydrated, ChannelUserContext } from './channel-dehydrated.js'
import {
  CastHash,
  ChannelId,
  ChannelMemberRole,
  Count,
  DateTime,
  deprecated,
  Fid,
  ImageUrl,
  NextCursor,
  namedObject,
  TextRange,
  Uri,
  Url,
} from './primitives.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

export const Channel = namedObject('Channel', {
  object: Type.Literal('channel'),
  id: ChannelId,
  url: { ...Url, examples: ['https://farcaster.xyz/~/channel/gardening'] },
  name: Type.Optional(Type.String({ examples: ['Gardening'] })),
  description: Type.Optional(Type.String({ examples: ['Everything that grows.'] })),
  description_mentioned_profiles: Type.Optional(Type.Array(UserDehydrated, { examples: [[]] })),
  description_mentioned_profiles_ranges: Type.Optional(Type.Array(TextRange, { examples: [[]] })),
  image_url: Type.Optional(ImageUrl),
  parent_url: Type.Optional({ ...Uri, examples: ['https://farcaster.xyz/~/channel/gardening'] }),
  external_link: Type.Optional(
    Type.Object({ title: Type.Optional(Type.String({ examples: ['Website'] })), url: Type.Optional(Url) }),
  ),
  created_at: DateTime,
  follower_count: Type.Optional(Type.Number({ examples: [1204] })),
  member_count: Type.Optional(Count),
  lead: Type.Optional(User),
  moderator: Type.Optional(deprecated(User, 'Use `lead`.')),
  moderator_fids: Type.Optional(Type.Array(Fid)),
  hosts: Type.Optional(deprecated(Type.Array(User), 'Only the lead.')),
  pinned_cast_hash: Type.Optional(CastHash),
  viewer_context: Type.Optional(ChannelUserContext),
})
export type Channel = Static<typeof Channel>

export const ChannelOrChannelDehydrated = Type.Union([Channel, ChannelDehydrated], {
  $id: 'ChannelOrChannelDehydrated',
})

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

export const ChannelListResponse = namedObject('ChannelListResponse', {
  channels: Type.Array(Channel),
  next: Type.Optional(NextCursor),
})

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
