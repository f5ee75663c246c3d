import { MessageType, type ReactionBody } from '@farcaster/core'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { reactionKey, reactionWire, validateReaction } from './reaction.js'

/** REACTION_ADD: a like or a recast of a cast or a URL. */
export const reactionAdd: MessageKind<ReactionBody> = {
  type: MessageType.REACTION_ADD,
  set: MessageSet.reactions,
  side: 'add',
  bodyName: 'reactionBody',
  wire: reactionWire,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateReaction,
  conflictKey: reactionKey,
}
