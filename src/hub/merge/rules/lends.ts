import { u64be } from '../../../protocol/bytes.js'
import { HubEventType, MessageType, type StorageUnitType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { insufficientStorage } from '../../sender-refusals.js'
import { generationOf } from '../../storage-limits.js'
import type { LoanEnd } from '../ended-loans.js'
import { compareCandidates, resolveConflict } from '../resolve-conflict.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import { type ConflictKey, toStoredMessage } from '../stored-message.js'

/** Units of the type that a lender on a hub of mainnet must own (docs/protocol.md §3.3.11). */
const MIN_MAINNET_OWN_UNITS = 1000

/** Units that a lender must keep. */
const RESERVED_UNITS = 1

/** Rule of LEND_STORAGE: the lender needs units, and 0 units end a loan (docs/protocol.md §4.5). */
export const lendRule: MergeRule = {
  check: checkUnits,
  beforeConflicts: resolveWithEnd,
  afterMerge: (message, _displaced, state) => {
    const conflictKey = lendConflictKey(message)
    // The latest loan that was accepted decides what a copy may change.
    if (message.data.lendStorageBody!.numUnits > 0) return state.endedLoans.set(conflictKey, null)
    const end = toStoredMessage(conflictKey, message)
    const known = state.endedLoans.get(conflictKey)
    if (!known || compareCandidates(end, asCandidate(known)) > 0) state.endedLoans.set(conflictKey, end)
    state.set(conflictKey, null)
    state.emit(message.data.fid, { type: HubEventType.PRUNE_MESSAGE, message })
  },
}

/** Returns the conflict key of a loan: the borrower. */
function lendConflictKey({ data }: SignedMessage): ConflictKey {
  return { fid: data.fid, set: MessageSet.lends, key: u64be(data.lendStorageBody!.toFid) }
}

/**
 * Refuses a copy of a loan that ended since. What a client or the log of an upstream brings is merged, as by the nodes of the
 * network, which forget the end (docs/protocol.md §4.5).
 */
function resolveWithEnd(message: SignedMessage, state: BatchState): MergeRefusal | null {
  if (!state.historical.has(message)) return null
  const conflictKey = lendConflictKey(message)
  const end = state.endedLoans.get(conflictKey)
  return end && resolveConflict(toStoredMessage(conflictKey, message), asCandidate(end))
}

/** Returns an end as conflict resolution takes messages. */
function asCandidate(end: LoanEnd) {
  return { ...end, set: MessageSet.lends, type: MessageType.LEND_STORAGE }
}

function checkUnits(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { fid, lendStorageBody } = message.data
  const account = state.accounts.get(fid)!
  const unit = generationOf(lendStorageBody!.unitType)
  const own = account.ownUnits[unit]
  const minimum = state.isMainnet ? MIN_MAINNET_OWN_UNITS : 0
  const free = own - account.lentUnits[unit] - lentInBatch(message, state) - RESERVED_UNITS
  if (lendStorageBody!.numUnits === 0 || state.historical.has(message)) return null
  if (own >= minimum && lendStorageBody!.numUnits <= free) return null
  return insufficientStorage
}

/** Returns the units that this batch lent, without the loan that this message replaces. */
function lentInBatch(message: SignedMessage, state: BatchState): number {
  const { fid, lendStorageBody } = message.data
  let units = 0
  for (const { conflictKey, before, after } of state.changes()) {
    if (conflictKey.fid !== fid || conflictKey.set !== MessageSet.lends) continue
    units += unitsOf(after?.message(), lendStorageBody!.unitType)
    units -= unitsOf(before?.message(), lendStorageBody!.unitType)
  }
  const replaced = state.get(lendConflictKey(message))
  return units - unitsOf(replaced?.message(), lendStorageBody!.unitType)
}

function unitsOf(message: SignedMessage | undefined, type: StorageUnitType): number {
  const body = message?.data.lendStorageBody
  return body && body.unitType === type ? body.numUnits : 0
}
