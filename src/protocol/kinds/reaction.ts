import { type MessageData, type ReactionBody, ReactionType } from '@farcaster/core'
import { castIdBytes, validateCastId } from './cast-id.js'
import { validateUrl } from './url.js'

const TARGET_CAST = Buffer.of(1)
const TARGET_URL = Buffer.of(2)

/** The part of a message that says which reaction. */
export function reactionBody(data: MessageData): ReactionBody | undefined {
  return data.reactionBody
}

/** The rule that a reaction, added or removed, breaks (docs/protocol.md §3.3.4), or null. */
export function validateReaction(body: ReactionBody): string | null {
  if (body.type !== ReactionType.LIKE && body.type !== ReactionType.RECAST) return 'invalid reaction type'
  if (body.targetCastId !== undefined && body.targetUrl !== undefined) {
    return 'cannot use both targetUrl and targetCastId'
  }
  if (body.targetCastId !== undefined) return validateCastId(body.targetCastId)
  return body.targetUrl === undefined ? 'target is missing' : validateUrl(body.targetUrl)
}

/** What is reacted to, as bytes: `0x01` ‖ fid ‖ hash of a cast, `0x02` ‖ UTF-8 of a URL. */
export function reactionTarget(body: Pick<ReactionBody, 'targetCastId' | 'targetUrl'>): Buffer {
  if (body.targetCastId !== undefined) return Buffer.concat([TARGET_CAST, castIdBytes(body.targetCastId)])
  return Buffer.concat([TARGET_URL, Buffer.from(body.targetUrl ?? '')])
}

/** Where a reaction competes (docs/protocol.md §4.1): type ‖ target. */
export function reactionKey(body: Pick<ReactionBody, 'type' | 'targetCastId' | 'targetUrl'>): Buffer {
  return Buffer.concat([Buffer.of(body.type), reactionTarget(body)])
}
