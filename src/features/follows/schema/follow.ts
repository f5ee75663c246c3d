import { type Static, Type } from '@sinclair/typebox'
import { Follower } from '../../../graph/view/schema/follower.js'
import { DateTime, Fid, HashString, NextCursor, namedObject } from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'

export const FollowersResponse = namedObject('FollowersResponse', {
  users: Type.Array(Follower),
  next: NextCursor,
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

/** The result of one follow or unfollow. */
export const FollowResponse = namedObject('FollowResponse', {
  success: Type.Boolean(),
  target_fid: Fid,
  hash: { ...HashString, description: 'Hash of the stored message; empty if nothing was stored.' },
})

/** The results of follows or unfollows. */
export const BulkFollowResponse = namedObject('BulkFollowResponse', {
  success: Type.Boolean({ description: 'Whether all succeeded.' }),
  details: Type.Array(FollowResponse),
})
export type BulkFollowResponse = Static<typeof BulkFollowResponse>
