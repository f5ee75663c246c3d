import { type Refusal, refuse } from '../../platform/errors.js'
import { HubEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { bodyOf, MessageSet } from '../../protocol/message-kind.js'
import { kindOf } from '../../protocol/message-kinds.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { requiresPro } from '../../protocol/validate.js'
import { canSign } from './gasless-keys.js'
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
  if (!refusal) state.keys.recordUse(message)
  if (
    refusal?.causedBy &&
    refusal.code !== 'bad_request.duplicate' &&
    state.isChangedByBatch(refusal.causedBy)
  ) {
    state.emit(message.data.fid, {
      type: HubEventType.MERGE_FAILURE,
      message,
      code: refusal.code,
      reason: refusal.message,
    })
  }
  return refusal && { code: refusal.code, message: refusal.message }
}

/** Removes a message that the upstream no longer stores, and emits PRUNE_MESSAGE (docs/protocol.md §4.14). */
export function applyUpstreamRemoval(message: SignedMessage, state: BatchState): Refusal | null {
  const conflictKey = conflictKeyOf(message)
  if (!conflictKey || !state.get(conflictKey)?.hash.equals(message.hash)) {
    return refuse('bad_request.conflict', 'message is not stored')
  }
  state.set(conflictKey, null)
  state.emit(message.data.fid, { type: HubEventType.PRUNE_MESSAGE, message })
  return null
}

/** Returns the conflict key of a message; null for types that are not stored. */
export function conflictKeyOf(message: SignedMessage): ConflictKey | null {
  const kind = kindOf(message.data.type)
  if (!kind || kind.set === null) return null
  const body = bodyOf(kind, message.data)
  return { fid: message.data.fid, set: kind.set, key: kind.conflictKey(body, message) }
}

function decideMerge(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const conflictKey = conflictKeyOf(message)
  const refusal = checkAccount(message, conflictKey, state)
  if (refusal || !conflictKey) return refusal

  const rule = ruleOf(message.data.type)
  const ruleRefusal = rule.check?.(message, state)
  if (ruleRefusal) return ruleRefusal
  if (rule.merge) return rule.merge(message, conflictKey, state)

  const incoming = toStoredMessage(conflictKey, message)
  const stored = state.get(conflictKey)
  const conflictRefusal = stored && resolveConflict(incoming, stored)
  if (conflictRefusal) return { ...conflictRefusal, causedBy: conflictKey }

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

/** Checks the fid, the signer, the tier and the storage against on-chain state (docs/protocol.md §4.12). */
function checkAccount(
  message: SignedMessage,
  conflictKey: ConflictKey | null,
  state: BatchState,
): Refusal | null {
  // Its sender may be of a shard whose log is merged later, and waiting would change the order of the slots.
  if (conflictKey?.set === MessageSet.channels && state.historical.has(message)) return null
  const account = state.accounts.get(message.data.fid)
  if (!account) return refuse('bad_request.unknown_fid', 'unknown fid')
  const now = farcasterSecondsFromUnixSeconds(state.nowUnix)
  const key = state.keys.get(message.signer)
  const isSigner = key?.fid === account.fid && canSign(key, message.data.type, now)
  if (!ruleOf(message.data.type).isAuthorizedByBody && !state.maySign(message) && !isSigner) {
    return refuse('bad_request.invalid_signer', 'invalid signer')
  }
  if (state.historical.has(message)) return null
  if (requiresPro(message) && account.proUntil <= state.nowUnix) {
    return refuse('bad_request.validation_failure', 'Pro subscription required')
  }
  // Engine V21 has a rule of its own for the storage of verifications.
  if (conflictKey?.set === MessageSet.verifications && state.isV21(now)) return null
  if (conflictKey && account.limits[conflictKey.set] === 0) {
    return refuse('bad_request.no_storage', `fid ${account.fid} has no active storage`)
  }
  return null
}
