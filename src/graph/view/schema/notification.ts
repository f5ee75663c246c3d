import { type Static, Type } from '@sinclair/typebox'
import { Cast } from './cast.js'
import { Follower } from './follower.js'
import { NextCursor } from './paging.js'
import { Count, DateTime } from './primitives.js'
import { ReactionWithUserInfo } from './reaction.js'
import { textEnum } from './schema-type.js'

/**
 * An action of others that concerns a user. Its type defines its members: `follows` and `count`; `reactions`,
 * `cast` and `count` for likes and recasts; or `cast` alone.
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

/** The types that notifications are requested and marked by; the type of a notification is singular. */
export const NotificationType = textEnum(['follows', 'recasts', 'likes', 'mentions', 'replies', 'quotes'], {
  $id: 'NotificationType',
})
export type NotificationType = Static<typeof NotificationType>

export const NotificationsResponse = Type.Object(
  {
    notifications: Type.Array(Notification),
    unseen_notifications_count: Count,
    next: NextCursor,
  },
  { $id: 'NotificationsResponse' },
)
export type NotificationsResponse = Static<typeof NotificationsResponse>

export const UserInteractionsResponse = Type.Object(
  { interactions: Type.Array(Notification) },
  { $id: 'UserInteractionsResponse' },
)
export type UserInteractionsResponse = Static<typeof UserInteractionsResponse>
