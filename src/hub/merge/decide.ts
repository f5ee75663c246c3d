import { HubEventType, MessageType } from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { kindOf } from '../../protocol/message-kinds.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { requiresPro } from '../../protocol/validate.js'
import { compete } from './compete.js'
import { admits } from './gasless-key.js'
import { isKeyMessage } from './key-rows.js'
import { mergeKeyAdd, mergeKeyRemove } from './keys.js'
import { mergeNameProof } from './names.js'
import type { MergeRefusal } from './rule.js'
import { ruleOf } from './rules.js'
import { type Slot, type Standing, standingOf } from './standing.js'
import type { BatchState } from './state.js'

/**
 * Merges one message, already valid by itself, into the state: changes slots and emits events, or says
 * why not. Pure but for the state it is given.
 *
 * A refusal that only this batch brought about is also told in the log, as MERGE_FAILURE: the message would
 * have been accepted a moment earlier (docs/protocol.md §4.11). One that a reader could foresee from what already stood
 * only reaches the sender.
 */
export function mergeMessage(message: SignedMessage, state: BatchState): Refusal | null {
  const refusal = tryMerge(message, state)
  if (!refusal) state.keys.use(message)
  if (refusal?.causedBy && refusal.code !== 'bad_request.duplicate' && state.isFresh(refusal.causedBy)) {
    state.emit(message.data.fid, {
      type: HubEventType.MERGE_FAILURE,
      message,
      code: refusal.code,
      reason: refusal.message,
    })
  }
  return refusal && { code: refusal.code, message: refusal.message }
}

/** Has a message stand no more, as if storage had had no room for it. */
export function withdrawMessage(message: SignedMessage, state: BatchState): Refusal | null {
  const slot = slotOf(message)
  if (!slot || !state.at(slot)?.hash.equals(message.hash)) {
    return refuse('bad_request.conflict', 'message does not stand')
  }
  state.set(slot, null)
  state.emit(message.data.fid, { type: HubEventType.PRUNE_MESSAGE, message })
  return null
}

/** The slot that a message competes for; null for messages that are never stored. */
export function slotOf(message: SignedMessage): Slot | null {
  const kind = kindOf(message.data.type)
  if (!kind || kind.set === null) return null
  const body = kind.body(message.data)
  return { fid: message.data.fid, set: kind.set, key: kind.conflictKey(body, message) }
}

function tryMerge(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const slot = slotOf(message)
  const refusal = checkAccount(message, slot, state)
  if (refusal || !slot) return refusal

  const rule = ruleOf(message.data.type)
  const ruleRefusal = rule.check?.(message, state)
  if (ruleRefusal) return ruleRefusal
  if (message.data.type === MessageType.USERNAME_PROOF) return mergeNameProof(message, state)
  if (message.data.type === MessageType.KEY_ADD) return mergeKeyAdd(message, slot, state)
  if (message.data.type === MessageType.KEY_REMOVE) return mergeKeyRemove(message, slot, state)

  const incoming = standingOf(slot, message)
  const standing = state.at(slot)
  const lost = standing && compete(incoming, standing)
  if (lost) return { ...lost, causedBy: slot }

  const displaced: Standing[] = [...(standing ? [standing] : []), ...(rule.displaces?.(message, state) ?? [])]
  for (const other of displaced) state.set(other, null)
  state.set(slot, incoming)
  state.emit(message.data.fid, {
    type: HubEventType.MERGE_MESSAGE,
    message,
    deletedMessages: displaced.map((other) => other.message()),
  })
  rule.after?.(message, displaced, state)
  return null
}

/** What the chain has to say: is there such a user, may this key sign, is this tier and this storage paid. */
function checkAccount(message: SignedMessage, slot: Slot | null, state: BatchState): Refusal | null {
  const account = state.accounts.get(message.data.fid)
  if (!account) return refuse('bad_request.unknown_fid', 'unknown fid')
  if (!isKeyMessage(message)) {
    const refusal = checkSigner(message, state)
    if (refusal) return refusal
  }
  if (state.admitted.has(message)) return null
  if (requiresPro(message) && account.proUntil <= state.nowUnix) {
    return refuse('bad_request.validation_failure', 'Pro subscription required')
  }
  if (slot && account.limits[slot.set] === 0) {
    return refuse('bad_request.no_storage', `fid ${account.fid} has no active storage`)
  }
  return null
}

/** Key messages are authorised by the custody address instead, or by the key that they remove. */
function checkSigner(message: SignedMessage, state: BatchState): Refusal | null {
  if (state.maySign(message)) return null
  const key = state.keys.at(message.signer)
  const now = farcasterSecondsFromUnixSeconds(state.nowUnix)
  if (key?.fid !== message.data.fid || !admits(key, message.data.type, now)) {
    return refuse('bad_request.invalid_signer', 'invalid signer')
  }
  return null
}
