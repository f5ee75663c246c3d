import { MessageType, type ReactionBody, ReactionType } from '../definitions.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { castIdSchema, schema, single } from '../wire-schema.js'
import { castOrUrlBytes, validateCastId, validateUrl } from './target.js'

/** NONE is valid, and refused in the merge (docs/protocol.md §4.12). */
const REACTION_TYPES: readonly ReactionType[] = [ReactionType.NONE, ReactionType.LIKE, ReactionType.RECAST]

const reaction = {
  set: MessageSet.reactions,
  bodyName: 'reactionBody',
  wire: {
    field: 7,
    schema: schema({ 1: single('int32'), 2: single(castIdSchema), 3: single('string') }, [[2, 3]]),
  },
  validate: validateReaction,
  conflictKey: reactionKey,
} as const

/** REACTION_ADD: a like or a recast of a cast or a URL. */
export const reactionAdd: MessageKind<ReactionBody> = {
  ...reaction,
  type: MessageType.REACTION_ADD,
  side: 'add',
}

/** REACTION_REMOVE: removes a like or a recast. */
export const reactionRemove: MessageKind<ReactionBody> = {
  ...reaction,
  type: MessageType.REACTION_REMOVE,
  side: 'remove',
}

/** Returns the rule that a reaction breaks (docs/protocol.md §3.3.4), or null. */
function validateReaction(body: ReactionBody): string | null {
  if (!REACTION_TYPES.includes(body.type)) return 'invalid reaction type'
  // Decoded data has one of the two: only a message that is built here can have both.
  if (body.targetCastId !== undefined && body.targetUrl !== undefined) {
    return 'cannot use both targetUrl and targetCastId'
  }
  if (body.targetCastId !== undefined) return validateCastId(body.targetCastId)
  return body.targetUrl === undefined ? 'target is missing' : validateUrl(body.targetUrl)
}

/** Returns the conflict key of a reaction: type ‖ target (docs/protocol.md §4.1). */
export function reactionKey(body: Pick<ReactionBody, 'type' | 'targetCastId' | 'targetUrl'>): Buffer {
  const target = castOrUrlBytes({ castId: body.targetCastId, url: body.targetUrl })
  return Buffer.concat([Buffer.of(body.type), target])
}
