import { type Static, Type } from '@sinclair/typebox'
import { ChannelDehydrated, ChannelUserContext } from './channel-dehydrated.js'
import {
  CastHash,
  ChannelId,
  Count,
  DateTime,
  deprecated,
  Fid,
  ImageUrl,
  NextCursor,
  namedObject,
  TextRange,
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
  parent_url: Type.Optional({ ...Url, examples: ['https://farcaster.xyz/~/channel/gardening'] }),
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

export const ChannelListResponse = namedObject('ChannelListResponse', {
  channels: Type.Array(Channel),
  next: Type.Optional(NextCursor),
})
