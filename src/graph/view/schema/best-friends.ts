import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'

/** A user with high affinity. */
export const BestFriend = Type.Object(
  {
    fid: Type.Integer(),
    username: Type.String(),
    mutual_affinity_score: Type.Number(),
  },
  { $id: 'BestFriend' },
)
export type BestFriend = Static<typeof BestFriend>

export const BestFriendsResponse = Type.Object(
  { users: Type.Array(BestFriend), next: Type.Optional(NextCursor) },
  { $id: 'BestFriendsResponse' },
)
export type BestFriendsResponse = Static<typeof BestFriendsResponse>
