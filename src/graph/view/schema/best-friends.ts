import { Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { Username } from './primitives.js'
import { namedObject } from './schema-type.js'

/** A user with a high mutual affinity to another. */
export const BestFriend = namedObject('BestFriend', {
  fid: Type.Integer({ examples: [191] }),
  username: Username,
  mutual_affinity_score: Type.Number({ examples: [42.5] }),
})

export const BestFriendsResponse = namedObject('BestFriendsResponse', {
  users: Type.Array(BestFriend),
  next: Type.Optional(NextCursor),
})
