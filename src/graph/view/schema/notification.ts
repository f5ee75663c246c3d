import { type Static, Type } from '@sinclair/typebox'
import { Cast } from './cast.js'
import { Count, DateTime, NextCursor, namedObject, textEnum } from './primitives.js'
import { ReactionWithUserInfo } from './reaction.js'
import { Follower } from './relation.js'

/**
 * An action of others that concerns a user. `follows` have `follows` and `count`; likes and recasts have `reactions`,
 * `cast` and `count`; the other types have `cast`.
 */
export const Notification = namedObject('Notification', {
  object: Type.Literal('notification'),
  type: textEnum(['follows', 'recasts', 'likes', 'mention', 'reply', 'quote'], { examples: ['likes'] }),
  most_recent_timestamp: DateTime,
  seen: Type.Boolean(),
  cast: Type.Optional(Cast),
  follows: Type.Optional(Type.Array(Follower, { examples: [] })),
  reactions: Type.Optional(Type.Array(ReactionWithUserInfo)),
  count: Type.Optional(Count),
})
export type Notification = Static<typeof Notification>

/** The types of notifications in requests. In replies, types of single casts are singular. */
export const NotificationType = textEnum(['follows', 'recasts', 'likes', 'mentions', 'replies', 'quotes'], {
  $id: 'NotificationType',
})

export const NotificationsResponse = namedObject('NotificationsResponse', {
  notifications: Type.Array(Notification),
  unseen_notifications_count: Count,
  next: NextCursor,
})

export const UserInteractionsResponse = namedObject('UserInteractionsResponse', {
  interactions: Type.Array(Notification),
})
