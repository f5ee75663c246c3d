import { type Static, Type } from '@sinclair/typebox'
import { ChannelDehydrated } from './channel-dehydrated.js'
import { Location } from './location.js'
import { DateTime, ImageUrl, TextRange, Uri, Url } from './primitives.js'
import { namedObject } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

/** The bio of a user. Ranges are in the order of the mentioned profiles and channels. */
export const UserBio = namedObject('UserBio', {
  text: Type.String({ examples: ['Gardener and programmer.'] }),
  mentioned_profiles: Type.Optional(Type.Array(UserDehydrated, { examples: [[]] })),
  mentioned_profiles_ranges: Type.Optional(Type.Array(TextRange, { examples: [[]] })),
  mentioned_channels: Type.Optional(Type.Array(ChannelDehydrated, { examples: [[]] })),
  mentioned_channels_ranges: Type.Optional(Type.Array(TextRange, { examples: [[]] })),
})
export type UserBio = Static<typeof UserBio>

export const UserProfile = namedObject('UserProfile', {
  bio: UserBio,
  banner: Type.Optional(Type.Object({ url: Type.Optional({ ...Uri, examples: ImageUrl.examples }) })),
  live_at: Type.Optional(
    Type.Object({ url: Url, updated_at: DateTime, is_live: Type.Boolean() }, { examples: [] }),
  ),
  location: Type.Optional(Location),
})
export type UserProfile = Static<typeof UserProfile>
