import { Type } from '@sinclair/typebox'
import { Cast } from '../../../graph/view/schema/cast.js'
import { DateTime, NextCursor, namedObject, textEnum } from '../../../graph/view/schema/primitives.js'
import { ReactionObject } from '../../../graph/view/schema/reaction.js'
import { User } from '../../../graph/view/schema/user.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'

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
