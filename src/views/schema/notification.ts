import { type Static, Type } from '@sinclair/typebox'
import { Cast } from './cast.js'
import { Follower } from './follower.js'
import { Count, DateTime } from './primitives.js'
import { ReactionWithUserInfo } from './reaction.js'
import { textEnum } from './schema-type.js'

/**
 * Something that others did and that concerns a user. Its type tells which members it has: `follows` and `count`;
 * or `reactions`, `cast` and `count` for likes and recasts; or `cast` alone.
 */
export const Notification = Type.Object(
  {
    object: Type.Literal('notification'),
    type: textEnum(['follows', 'recasts', 'likes', 'mention', 'reply', 'quote']),
    most_recent_timestamp: DateTime,
    seen: Type.Boolean(),
    cast: Type.Optional(Cast),
    follows: Type.Optional(Type.Array(Follower)),
    reactions: Type.Optional(Type.Array(ReactionWithUserInfo)),
    count: Type.Optional(Count),
  },
  { $id: 'Notification' },
)
export type Notification = Static<typeof Notification>

export const UserInteractionsResponse = Type.Object(
  { interactions: Type.Array(Notification) },
  { $id: 'UserInteractionsResponse' },
)
export type UserInteractionsResponse = Static<typeof UserInteractionsResponse>
