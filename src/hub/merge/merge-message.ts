import { type Refusal, refuse } from '../../platform/errors.js'
import { HubEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { bodyOf, MessageSet } from '../../protocol/message-kind.js'
import { typedKindOf } from '../../protocol/message-kinds.js'
import { isOfShardZero } from '../../protocol/shard.js'
import { insufficientStorage } from '../sender-refusals.js'
import { checkSender, isSignedByGaslessKey } from './check-sender.js'
import { checkType } from './check-type.js'
import { checkExpiry } from './keys/key-checks.js'
import { emitHintsOfDeleted } from './owner-hints.js'
import { resolveConflict } from './resolve-conflict.js'
import type { MergeRefusal } from './rule.js'
import { ruleOf } from './rules.js'
import type { BatchState } from './state.js'
import { type ConflictKey, type StoredMessage, toStoredMessage } from './stored-message.js'

/**
 * Merges one valid message into the state: changes conflict keys and emits events, or returns the refusal.
 *
 * If something merged in this batch caused the refusal, it is also logged as MERGE_FAILURE: the message would
 * have been accepted a moment earlier (docs/protocol.md §4.11). Other refusals only reach the sender.
 */
export function mergeMessage(message: SignedMessage, state: BatchState): Refusal | null {
  const refusal = decideMerge(message, state)
  if (refusal && isFailureOfBatch(message, refusal, state)) {
    state.emit(message.data.fid, {
      type: HubEventType.MERGE_FAILURE,
      message,
      code: refusal.code,
      reason: refusal.message,
    })
  }
  if (refusal === null) return null
  const { causedBy, causedByName, ...toSender } = refusal
  return toSender
}

/**
 * Returns true if something merged in this batch caused a refusal. Duplicates are none, nor are loans and, from V21 on,
 * verifications: nobody can read the failures of shard 0 of the reference node.
 */
function isFailureOfBatch(
  { data }: SignedMessage,
  { code, causedBy, causedByName }: MergeRefusal,
  state: BatchState,
): boolean {
  if (code === 'bad_request.duplicate' || isOfShardZero(data.type, state.hasV21)) return false
  if (causedByName !== undefined && state.isNameChangedByBatch(causedByName)) return true
  return causedBy !== undefined && state.isChangedByBatch(causedBy)
}

/** Removes a message that the upstream no longer stores, and emits PRUNE_MESSAGE and hints at owners (docs/protocol.md §4.14, §7.1.8). */
export function applyUpstreamRemoval(message: SignedMessage, state: BatchState): Refusal | null {
  const conflictKey = conflictKeyOf(message)
  if (!conflictKey || !state.get(conflictKey)?.hash.equals(message.hash)) {
    return refuse('bad_request.conflict', 'message is not stored')
  }
  state.set(conflictKey, null)
  state.linkCutoffs.replace(conflictKey, new Map())
  state.emit(message.data.fid, { type: HubEventType.PRUNE_MESSAGE, message })
  emitHintsOfDeleted(message, state)
  return null
}

/** Returns the conflict key of a message; null for types that are not stored, and without the body of the type. */
export function conflictKeyOf(message: SignedMessage): ConflictKey | null {
  const kind = typedKindOf(message.data)
  if (!kind || kind.set === null) return null
  const body = bodyOf(kind, message.data)
  return { fid: message.data.fid, set: kind.set, key: kind.conflictKey(body, message) }
}

function decideMerge(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const conflictKey = conflictKeyOf(message)
  const rule = ruleOf(message.data.type)
  const refusal =
    checkSender(message, state) ??
    checkType(message, state.hasV21) ??
    checkStorage(message, conflictKey, state) ??
    rule.check?.(message, state) ??
    useGaslessKey(message, state) ??
    rule.beforeConflicts?.(message, state)
  if (refusal || !conflictKey) return refusal ?? null
  if (rule.merge) return rule.merge(message, conflictKey, state)

  const incoming = toStoredMessage(conflictKey, message)
  const stored = state.get(conflictKey)
  const conflictRefusal = stored && resolveConflict(incoming, stored)
  if (conflictRefusal) return { ...conflictRefusal, causedBy: conflictKey }
  const unconfirmed = state.unconfirmed.get(message)
  if (unconfirmed) return unconfirmed

  const displaced: StoredMessage[] = [...(stored ? [stored] : []), ...(rule.replaces?.(message, state) ?? [])]
  for (const other of displaced) state.set(other, null)
  state.set(conflictKey, incoming)
  state.emit(message.data.fid, {
    type: HubEventType.MERGE_MESSAGE,
    message,
    deletedMessages: displaced.map((other) => other.message()),
  })
  rule.afterMerge?.(message, displaced, state)
  return null
}

/** Checks that the sender has storage for the set of a message (docs/protocol.md §4.8). */
function checkStorage(
  message: SignedMessage,
  conflictKey: ConflictKey | null,
  state: BatchState,
): Refusal | null {
  if (conflictKey === null || state.historical.has(message)) return null
  // Else the borrower would keep for good what a lender has lent whose own units have expired.
  if (conflictKey.set === MessageSet.lends && message.data.lendStorageBody?.numUnits === 0) return null
  // Engine V21 has a rule of its own for the storage of verifications.
  if (conflictKey.set === MessageSet.verifications && state.hasV21) return null
  return state.accounts.get(message.data.fid)?.limits[conflictKey.set] === 0 ? insufficientStorage : null
}

/**
 * Refuses an expired gasless key, else moves its clock. The clock stays moved if the message loses a conflict
 * (docs/protocol.md §4.6).
 */
function useGaslessKey(message: SignedMessage, state: BatchState): Refusal | null {
  if (!isSignedByGaslessKey(message, state)) return null
  const refusal = state.historical.has(message) ? null : checkExpiry(message, state.keys, state.now)
  if (!refusal) state.keys.recordUse(message)
  return refusal
}
