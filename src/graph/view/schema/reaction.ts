import { type Static, Type } from '@sinclair/typebox'
import { Cast } from './cast.js'
import { CastDehydrated } from './embed.js'
import { NextCursor } from './paging.js'
import { DateTime } from './primitives.js'
import { textEnum } from './schema-type.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

const ReactionObject = textEnum(['likes', 'recasts'])
export const ReactionType = textEnum(['like', 'recast'], { $id: 'ReactionType' })
export type ReactionType = Static<typeof ReactionType>

/** A reaction of a user, with its cast. */
export const ReactionWithCastInfo = Type.Object(
  {
    object: ReactionObject,
    reaction_type: ReactionType,
    reaction_timestamp: DateTime,
    user: UserDehydrated,
    cast: Cast,
    app: Type.Optional(UserDehydrated),
  },
  { $id: 'ReactionWithCastInfo' },
)
export type ReactionWithCastInfo = Static<typeof ReactionWithCastInfo>

export const ReactionsResponse = Type.Object(
  { reactions: Type.Array(ReactionWithCastInfo), next: NextCursor },
  { $id: 'ReactionsResponse' },
)
export type ReactionsResponse = Static<typeof ReactionsResponse>

/** A reaction to a cast, with its user. */
export const ReactionForCast = Type.Object(
  {
    object: ReactionObject,
    reaction_type: ReactionType,
    reaction_timestamp: DateTime,
    user: User,
    app: Type.Optional(UserDehydrated),
  },
  { $id: 'ReactionForCast' },
)
export type ReactionForCast = Static<typeof ReactionForCast>

export const ReactionsCastResponse = Type.Object(
  { reactions: Type.Array(ReactionForCast), next: NextCursor },
  { $id: 'ReactionsCastResponse' },
)
export type ReactionsCastResponse = Static<typeof ReactionsCastResponse>

/** A reaction in a notification. */
export const ReactionWithUserInfo = Type.Object(
  { object: ReactionObject, user: User, cast: CastDehydrated },
  { $id: 'ReactionWithUserInfo' },
)
export type ReactionWithUserInfo = Static<typeof ReactionWithUserInfo>
