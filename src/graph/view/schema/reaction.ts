import { Type } from '@sinclair/typebox'
import { Cast, CastDehydrated } from './cast.js'
import { DateTime, NextCursor, namedObject, textEnum } from './primitives.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

const ReactionObject = textEnum(['likes', 'recasts'])
export const ReactionType = textEnum(['like', 'recast'], { $id: 'ReactionType' })

/** A reaction of a user, with its cast. */
export const ReactionWithCastInfo = namedObject('ReactionWithCastInfo', {
  object: ReactionObject,
  reaction_type: ReactionType,
  reaction_timestamp: DateTime,
  user: UserDehydrated,
  cast: Cast,
  app: Type.Optional(UserDehydrated),
})

export const ReactionsResponse = namedObject('ReactionsResponse', {
  reactions: Type.Array(ReactionWithCastInfo),
  next: NextCursor,
})

/** A reaction to a cast, with its user. */
export const ReactionForCast = namedObject('ReactionForCast', {
  object: ReactionObject,
  reaction_type: ReactionType,
  reaction_timestamp: DateTime,
  user: User,
  app: Type.Optional(UserDehydrated),
})

export const ReactionsCastResponse = namedObject('ReactionsCastResponse', {
  reactions: Type.Array(ReactionForCast),
  next: NextCursor,
})

/** A reaction in a notification. */
export const ReactionWithUserInfo = namedObject('ReactionWithUserInfo', {
  object: ReactionObject,
  user: User,
  cast: CastDehydrated,
})
