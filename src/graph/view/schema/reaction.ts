import { CastDehydrated } from './cast.js'
import { namedObject, textEnum } from './primitives.js'
import { User } from './user.js'

export const ReactionObject = textEnum(['likes', 'recasts'])

/** A reaction in a notification. */
export const ReactionWithUserInfo = namedObject('ReactionWithUserInfo', {
  object: ReactionObject,
  user: User,
  cast: CastDehydrated,
})
