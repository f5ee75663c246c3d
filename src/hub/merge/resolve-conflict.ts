import { MessageType } from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { StoredMessage } from './stored-message.js'

const removeTypes: ReadonlySet<MessageType> = new Set([
  MessageType.CAST_REMOVE,
  MessageType.REACTION_REMOVE,
  MessageType.LINK_REMOVE,
  MessageType.VERIFICATION_REMOVE,
])

type Candidate = Pick<StoredMessage, 'set' | 'type' | 'ts' | 'hash'>

/**
 * The one rule by which a message takes a slot from another (docs/protocol.md §4.2): larger timestamp, then remove
 * over add, then larger hash; except that a cast stays removed whatever the timestamps say.
 *
 * @returns null when the incoming message wins, else the refusal that its sender gets.
 */
export function resolveConflict(incoming: Candidate, stored: Candidate): Refusal | null {
  const order = compareCandidates(incoming, stored)
  if (order > 0) return null
  if (order === 0) return refuse('bad_request.duplicate', 'message has already been merged')
  if (stored.type === MessageType.LINK_COMPACT_STATE) {
    return refuse('bad_request.conflict', 'A newer Compact State message is already merged')
  }
  return refuse(
    'bad_request.conflict',
    `message conflicts with a more recent ${removeTypes.has(stored.type) ? 'remove' : 'add'}`,
  )
}

/** Positive when `a` wins over `b`, zero when they are the same message. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  const removeOrder = Number(removeTypes.has(a.type)) - Number(removeTypes.has(b.type))
  if (a.set === MessageSet.casts && removeOrder !== 0) return removeOrder
  return a.ts - b.ts || removeOrder || Buffer.compare(a.hash, b.hash)
}
