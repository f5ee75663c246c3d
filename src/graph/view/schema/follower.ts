import { Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime } from './primitives.js'
import { namedObject } from './schema-type.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

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
