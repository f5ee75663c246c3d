import { type Static, Type } from '@sinclair/typebox'
import { ChannelDehydrated } from './channel-dehydrated.js'
import {
  Count,
  DateTime,
  deprecated,
  EthAddress,
  Fid,
  ImageUrl,
  NextCursor,
  namedObject,
  nullable,
  SolAddress,
  TextRange,
  textEnum,
  Uri,
  Url,
  Username,
} from './primitives.js'
import { UserDehydrated } from './user-dehydrated.js'

/** The relations between the viewer and a user. */
export const UserViewerContext = namedObject('UserViewerContext', {
  following: Type.Boolean({ description: 'The viewer follows the user.' }),
  followed_by: Type.Boolean({ description: 'The user follows the viewer.' }),
  blocking: Type.Boolean({ description: 'The viewer blocks the user.' }),
  blocked_by: Type.Boolean({ description: 'The user blocks the viewer.' }),
})
export type UserViewerContext = Static<typeof UserViewerContext>

/** Verified addresses of a user. */
export const VerifiedAddresses = namedObject('VerifiedAddresses', {
  eth_addresses: Type.Array(EthAddress, { description: 'Oldest first.' }),
  sol_addresses: Type.Array(SolAddress, { description: 'Oldest first.' }),
  primary: Type.Object({ eth_address: nullable(EthAddress), sol_address: nullable(SolAddress) }),
})
export type VerifiedAddresses = Static<typeof VerifiedAddresses>

export const VerifiedAccount = namedObject('VerifiedAccount', {
  platform: Type.Optional(textEnum(['x', 'github'])),
  username: Type.Optional(Username),
})

/** The subscription of a user to the paid tier. */
export const UserPro = namedObject('UserPro', {
  status: textEnum(['subscribed', 'unsubscribed']),
  subscribed_at: DateTime,
  expires_at: DateTime,
})
export type UserPro = Static<typeof UserPro>

export const AuthAddress = namedObject('AuthAddress', { address: EthAddress, app: UserDehydrated })
export type AuthAddress = Static<typeof AuthAddress>

/** The score from which `power_badge` is true; the badge itself went in 2025. */
export const POWER_BADGE_SCORE = 0.9

const sameAsScore = Type.Number({ format: 'double', description: 'The same as `score`.', examples: [0.98] })

const UserExperimental = Type.Object({
  service_user_score: sameAsScore,
  neynar_user_score: sameAsScore,
  deprecation_notice: Type.Optional(Type.String({ examples: [] })),
})

/** The bio of a user. Ranges are in the order of the mentioned profiles and channels. */
export const UserBio = namedObject('UserBio', {
  text: Type.String({ examples: ['Gardener and programmer.'] }),
  mentioned_profiles: Type.Optional(Type.Array(UserDehydrated, { examples: [[]] })),
  mentioned_profiles_ranges: Type.Optional(Type.Array(TextRange, { examples: [[]] })),
  mentioned_channels: Type.Optional(Type.Array(ChannelDehydrated, { examples: [[]] })),
  mentioned_channels_ranges: Type.Optional(Type.Array(TextRange, { examples: [[]] })),
})
export type UserBio = Static<typeof UserBio>

/** The place at or near coordinates. */
export const LocationAddress = namedObject('LocationAddress', {
  city: Type.String({ examples: ['Berlin'] }),
  country: Type.String({ examples: ['Germany'] }),
  country_code: Type.Optional(Type.String({ examples: ['DE'] })),
  state: Type.Optional(Type.String({ examples: ['Berlin'] })),
  state_code: Type.Optional(Type.String({ examples: ['BE'] })),
})
export type LocationAddress = Static<typeof LocationAddress>

export const Location = namedObject('Location', {
  latitude: Type.Number({ format: 'double', minimum: -90, maximum: 90, examples: [52.52] }),
  longitude: Type.Number({ format: 'double', minimum: -180, maximum: 180, examples: [13.4] }),
  radius: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'Meters. Absent: profiles of the protocol have no radius.',
      examples: [],
    }),
  ),
  address: Type.Optional(LocationAddress),
})

export const UserProfile = namedObject('UserProfile', {
  bio: UserBio,
  banner: Type.Optional(Type.Object({ url: Type.Optional({ ...Uri, examples: ImageUrl.examples }) })),
  live_at: Type.Optional(
    Type.Object({ url: Url, updated_at: DateTime, is_live: Type.Boolean() }, { examples: [] }),
  ),
  location: Type.Optional(Location),
})
export type UserProfile = Static<typeof UserProfile>

export const User = namedObject('User', {
  object: Type.Literal('user'),
  fid: Fid,
  username: Username,
  display_name: Type.Optional(nullable(Type.String({ examples: ['Dan Romero'] }))),
  pfp_url: Type.Optional(nullable(ImageUrl)),
  custody_address: EthAddress,
  registered_at: DateTime,
  profile: UserProfile,
  follower_count: { ...Count, examples: [1204] },
  following_count: { ...Count, examples: [310] },
  verifications: Type.Array(EthAddress),
  verified_addresses: VerifiedAddresses,
  auth_addresses: Type.Array(AuthAddress, { examples: [[]] }),
  verified_accounts: Type.Array(VerifiedAccount),
  power_badge: Type.Boolean({
    deprecated: true,
    description: `Whether \`score\` is at least ${POWER_BADGE_SCORE}. Older clients read it.`,
    examples: [true],
  }),
  score: Type.Optional(
    Type.Number({
      format: 'double',
      description: 'Probability that the account is not spam.',
      examples: [0.98],
    }),
  ),
  experimental: Type.Optional(deprecated(UserExperimental, 'Use `score`.')),
  pro: Type.Optional({ ...UserPro, examples: [] }),
  viewer_context: Type.Optional(UserViewerContext),
})
export type User = Static<typeof User>

export const UsersResponse = namedObject('UsersResponse', { users: Type.Array(User), next: NextCursor })
