import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime } from './primitives.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A follower or followed user, and the app of the follow. */
export const Follower = Type.Object(
  { object: Type.Literal('follower'), user: User, app: Type.Optional(UserDehydrated) },
  { $id: 'Follower' },
)
export type Follower = Static<typeof Follower>

export const FollowerDehydrated = Type.Object(
  { object: Type.Literal('follower_dehydrated'), user: UserDehydrated },
  { $id: 'FollowerDehydrated' },
)
export type FollowerDehydrated = Static<typeof FollowerDehydrated>

export const FollowersResponse = Type.Object(
  { users: Type.Array(Follower), next: NextCursor },
  { $id: 'FollowersResponse' },
)
export type FollowersResponse = Static<typeof FollowersResponse>

export const RelevantFollowersResponse = Type.Object(
  {
    top_relevant_followers_hydrated: Type.Array(Follower),
    all_relevant_followers_dehydrated: Type.Array(FollowerDehydrated),
  },
  { $id: 'RelevantFollowersResponse' },
)
export type RelevantFollowersResponse = Static<typeof RelevantFollowersResponse>

/** A user who follows and is followed back. */
export const ReciprocalFollower = Type.Object(
  { object: Type.Literal('reciprocal_follower'), user: User, timestamp: DateTime },
  { $id: 'ReciprocalFollower' },
)
export type ReciprocalFollower = Static<typeof ReciprocalFollower>

export const ReciprocalFollowersResponse = Type.Object(
  { users: Type.Array(ReciprocalFollower), next: NextCursor },
  { $id: 'ReciprocalFollowersResponse' },
)
export type ReciprocalFollowersResponse = Static<typeof ReciprocalFollowersResponse>
