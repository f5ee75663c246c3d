import { MessageType, type ReactionBody } from '@farcaster/core'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { reactionKey, reactionWire, validateReaction } from './reaction.js'

/** REACTION_REMOVE: removes a like or a recast. */
export const reactionRemove: MessageKind<ReactionBody> = {
  type: MessageType.REACTION_REMOVE,
  set: MessageSet.reactions,
  side: 'remove',
  bodyName: 'reactionBody',
  wire: reactionWire,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateReaction,
  conflictKey: reactionKey,
}
