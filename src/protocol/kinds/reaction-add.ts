import { MessageType, type ReactionBody } from '@farcaster/core'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { BASE_DATA_BYTES } from './data-size.js'
import { reactionBody, reactionKey, validateReaction } from './reaction.js'

/** A like or a recast of a cast or a URL. */
export const reactionAdd: MessageKind<ReactionBody> = {
  type: MessageType.REACTION_ADD,
  set: MessageSet.reactions,
  side: 'add',
  body: reactionBody,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateReaction,
  conflictKey: reactionKey,
}
