import { MessageType, type ReactionBody } from '@farcaster/core'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { BASE_DATA_BYTES } from './data-size.js'
import { reactionBody, reactionKey, validateReaction } from './reaction.js'

/** Takes a like or a recast back. */
export const reactionRemove: MessageKind<ReactionBody> = {
  type: MessageType.REACTION_REMOVE,
  set: MessageSet.reactions,
  side: 'remove',
  body: reactionBody,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateReaction,
  conflictKey: reactionKey,
}
