import { refuse } from '../../../platform/errors.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { insufficientStorage } from '../../sender-refusals.js'
import type { MergeRefusal } from '../rule.js'
import type { BatchState, VerificationCounts } from '../state.js'
import type { StoredMessage } from '../stored-message.js'

/** Removals that a user may store besides, for each address that was never verified. */
const MIN_TOMBSTONES = 256

/**
 * Returns why a verification may not merge from engine V21 on, where the set is not pruned (docs/protocol.md §7.1.6);
 * null before.
 */
export function checkVerificationLimits(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { data } = message
  if (state.historical.has(message) || !state.hasV21) return null
  if (!state.isV21(data.timestamp)) {
    return refuse('bad_request.validation_failure', 'verification timestamp predates shard-zero activation')
  }
  const limit = state.accounts.get(data.fid)?.limits[MessageSet.verifications] ?? 0
  if (limit === 0) return insufficientStorage
  const { address } = (data.verificationAddAddressBody ?? data.verificationRemoveBody)!
  const stored = state.get({ fid: data.fid, set: MessageSet.verifications, key: asBuffer(address) })
  const { live, removed } = countVerifications(data.fid, state)
  const tombstones = Math.max(MIN_TOMBSTONES, limit)
  const isFull =
    data.type === MessageType.VERIFICATION_REMOVE
      ? stored === null && removed >= tombstones
      : isLive(stored) === 0 && live >= limit
  const hasRow = stored !== null || live + removed < limit + tombstones
  return isFull || !hasRow ? insufficientStorage : null
}

/** Returns the rows of a user's set, with the changes of the batch. */
function countVerifications(fid: number, state: BatchState): VerificationCounts {
  let { live, removed } = state.accounts.get(fid)?.verifications ?? { live: 0, removed: 0 }
  for (const { conflictKey, before, after } of state.changes()) {
    if (conflictKey.fid !== fid || conflictKey.set !== MessageSet.verifications) continue
    live += isLive(after) - isLive(before)
    removed += isTombstone(after) - isTombstone(before)
  }
  return { live, removed }
}

const isLive = (stored: StoredMessage | null) =>
  Number(stored?.type === MessageType.VERIFICATION_ADD_ETH_ADDRESS)
const isTombstone = (stored: StoredMessage | null) => Number(stored?.type === MessageType.VERIFICATION_REMOVE)
