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
 * Decides which of two messages with one conflict key is stored (docs/protocol.md §4.2): larger timestamp,
 * then remove over add, then larger hash. A removed cast never returns, whatever the timestamps.
 *
 * @returns null if the incoming message wins, else the refusal for its sender.
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

/** Returns a positive number if `a` wins over `b`, 0 if they are the same message. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  const removeOrder = Number(removeTypes.has(a.type)) - Number(removeTypes.has(b.type))
  if (a.set === MessageSet.casts && removeOrder !== 0) return removeOrder
  return a.ts - b.ts || removeOrder || Buffer.compare(a.hash, b.hash)
}
