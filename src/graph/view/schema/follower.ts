import { Type } from '@sinclair/typebox'
import { namedObject } from './primitives.js'
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

export const RelevantFollowersResponse = namedObject('RelevantFollowersResponse', {
  top_relevant_followers_hydrated: Type.Array(Follower),
  all_relevant_followers_dehydrated: Type.Array(FollowerDehydrated),
})
