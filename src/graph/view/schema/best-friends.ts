import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { Username } from './primitives.js'

/** A user with a high mutual affinity to another. */
export const BestFriend = Type.Object(
  {
    fid: Type.Integer({ examples: [191] }),
    username: Username,
    mutual_affinity_score: Type.Number({ examples: [42.5] }),
  },
  { $id: 'BestFriend' },
)
export type BestFriend = Static<typeof BestFriend>

export const BestFriendsResponse = Type.Object(
  { users: Type.Array(BestFriend), next: Type.Optional(NextCursor) },
  { $id: 'BestFriendsResponse' },
)
export type BestFriendsResponse = Static<typeof BestFriendsResponse>
