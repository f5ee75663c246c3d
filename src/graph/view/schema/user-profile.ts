import { type Static, Type } from '@sinclair/typebox'
import { ChannelDehydrated } from './channel-dehydrated.js'
import { Location } from './location.js'
import { DateTime, TextRange, Uri } from './primitives.js'
import { UserDehydrated } from './user-dehydrated.js'

/** The bio of a user. The ranges are in the order of the profiles and channels that they belong to. */
export const UserBio = Type.Object(
  {
    text: Type.String(),
    mentioned_profiles: Type.Optional(Type.Array(UserDehydrated)),
    mentioned_profiles_ranges: Type.Optional(Type.Array(TextRange)),
    mentioned_channels: Type.Optional(Type.Array(ChannelDehydrated)),
    mentioned_channels_ranges: Type.Optional(Type.Array(TextRange)),
  },
  { $id: 'UserBio' },
)
export type UserBio = Static<typeof UserBio>

export const UserProfile = Type.Object(
  {
    bio: UserBio,
    banner: Type.Optional(Type.Object({ url: Type.Optional(Uri) })),
    live_at: Type.Optional(
      Type.Object({ url: Type.String(), updated_at: DateTime, is_live: Type.Boolean() }),
    ),
    location: Type.Optional(Location),
  },
  { $id: 'UserProfile' },
)
export type UserProfile = Static<typeof UserProfile>
