import { type Refusal, refuse } from '../../platform/errors.js'
import { MessageType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { kindOf } from '../../protocol/message-kinds.js'
import type { StoredMessage } from './stored-message.js'

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
    `message conflicts with a more recent ${isRemove(stored) ? 'remove' : 'add'}`,
  )
}

/** Returns a positive number if `a` wins over `b`, 0 if they are the same message. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  const removeOrder = Number(isRemove(a)) - Number(isRemove(b))
  if (a.set === MessageSet.casts && removeOrder !== 0) return removeOrder
  return a.ts - b.ts || removeOrder || Buffer.compare(a.hash, b.hash)
}

function isRemove({ type }: Candidate): boolean {
  return kindOf(type)?.side === 'remove'
}
