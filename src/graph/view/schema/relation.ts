import { Type } from '@sinclair/typebox'
import { DateTime, NextCursor, namedObject, nullable } from './primitives.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A mute. */
export const MuteRecord = namedObject('MuteRecord', {
  object: Type.Literal('mute'),
  muted: User,
  muted_at: DateTime,
})

export const MuteListResponse = namedObject('MuteListResponse', {
  mutes: Type.Array(MuteRecord),
  next: NextCursor,
})

export const MuteResponse = namedObject('MuteResponse', {
  success: Type.Boolean(),
  message: Type.Optional(Type.String({ examples: ['muted'] })),
})

/** A block. */
export const BlockRecord = namedObject('BlockRecord', {
  object: Type.Literal('block'),
  blocker: Type.Optional(User),
  blocked: Type.Optional(User),
  blocked_at: DateTime,
})

export const BlockListResponse = namedObject('BlockListResponse', {
  blocks: Type.Array(BlockRecord),
  next: NextCursor,
})

/** A ban by an app. */
export const BanRecord = namedObject('BanRecord', {
  object: Type.Literal('ban'),
  banned: Type.Optional(User),
  banned_at: DateTime,
})

export const BanListResponse = namedObject('BanListResponse', {
  bans: Type.Array(BanRecord),
  next: NextCursor,
})

export const BanResponse = namedObject('BanResponse', {
  success: Type.Boolean(),
  message: Type.Optional(nullable(Type.String({ examples: ['newly banned: 1'] }))),
})

/** A follower or followed user, and the app of the follow. */
export const Follower = namedObject('Follower', {
  object: Type.Literal('follower'),
  user: User,
  app: Type.Optional(UserDehydrated),
})

export const FollowerDehydrated = namedObject('FollowerDehydrated', {
  object: Type.Literal('follower_dehydrated'),
  user: UserDehydrated,
})

export const FollowersResponse = namedObject('FollowersResponse', {
  users: Type.Array(Follower),
  next: NextCursor,
})

export const RelevantFollowersResponse = namedObject('RelevantFollowersResponse', {
  top_relevant_followers_hydrated: Type.Array(Follower),
  all_relevant_followers_dehydrated: Type.Array(FollowerDehydrated),
})

/** A user who follows and is followed back. */
export const ReciprocalFollower = namedObject('ReciprocalFollower', {
  object: Type.Literal('reciprocal_follower'),
  user: User,
  timestamp: DateTime,
})

export const ReciprocalFollowersResponse = namedObject('ReciprocalFollowersResponse', {
  users: Type.Array(ReciprocalFollower),
  next: NextCursor,
})
