import { type Static, Type } from '@sinclair/typebox'
import { Cast } from './cast.js'
import { Follower } from './follower.js'
import { Count, DateTime, namedObject, textEnum } from './primitives.js'
import { ReactionWithUserInfo } from './reaction.js'

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
