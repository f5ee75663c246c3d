import { KEY_REMOVE_SIGNATURE_TYPE_CUSTODY } from '@farcaster/core'
import { type Refusal, refuse } from '../../../platform/errors.js'
import { HubEventType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { type KeyClaim, NonceKind } from '../gasless-keys.js'
import type { MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import { type ConflictKey, toStoredMessage } from '../stored-message.js'

/** Most keys of one fid (docs/protocol.md §3.3.12). */
const maxKeysPerFid = 1000

/** Rule of KEY_ADD (docs/protocol.md §4.6). */
export const keyAddRule: MergeRule = { isAuthorizedByBody: true, locksAllShards: true, merge: mergeKeyAdd }

/** Rule of KEY_REMOVE (docs/protocol.md §4.6). */
export const keyRemoveRule: MergeRule = {
  isAuthorizedByBody: true,
  locksAllShards: true,
  merge: mergeKeyRemove,
}

/**
 * Merges KEY_ADD: the custody address of the fid grants a key to an app that requested it. The same fid and app
 * may add a key again; any other key in use is refused.
 */
function mergeKeyAdd(message: SignedMessage, conflictKey: ConflictKey, state: BatchState): Refusal | null {
  const { fid, timestamp } = message.data
  const body = message.data.keyAddBody!
  const request = state.keyClaims.get(message)?.request
  const refusal =
    checkCustody(message, state.keyClaims.get(message), state) ??
    checkDeadline(body.deadline, timestamp) ??
    checkRequest(message, state) ??
    checkHolder(message, state)
  if (refusal || !request) return refusal ?? invalid('metadata is not a valid SignedKeyRequest')
  if (!state.keys.consumeNonce(NonceKind.user, fid, body.nonce)) return invalid('nonce has been used')

  const replaced = state.get(conflictKey)
  state.set(conflictKey, toStoredMessage(conflictKey, message))
  state.keys.set({
    key: conflictKey.key,
    fid,
    requestFid: request.requestFid,
    scopes: body.scopes,
    ttlSeconds: body.ttl,
    lastUsedAt: timestamp,
  })
  state.emit(fid, {
    type: HubEventType.MERGE_MESSAGE,
    message,
    deletedMessages: replaced ? [replaced.message()] : [],
  })
  return null
}

/** Merges KEY_REMOVE, signed by custody or by the key itself. The message is logged, not stored. */
function mergeKeyRemove(message: SignedMessage, conflictKey: ConflictKey, state: BatchState): Refusal | null {
  const { fid, timestamp } = message.data
  const body = message.data.keyRemoveBody!
  const key = state.keys.get(body.key)
  if (key?.fid !== fid) return invalid('key is not registered')
  const byCustody = body.signatureType === KEY_REMOVE_SIGNATURE_TYPE_CUSTODY
  const refusal =
    (byCustody ? checkCustody(message, state.keyClaims.get(message), state) : null) ??
    checkDeadline(body.deadline, timestamp)
  if (refusal) return refusal
  const isNonceAccepted = byCustody
    ? state.keys.consumeNonce(NonceKind.user, fid, body.nonce)
    : state.keys.consumeNonce(NonceKind.app, key.requestFid, body.nonce)
  if (!isNonceAccepted) return invalid('nonce has been used')

  const removed = state.get(conflictKey)
  state.set(conflictKey, null)
  state.keys.delete(key)
  state.emit(fid, {
    type: HubEventType.MERGE_MESSAGE,
    message,
    deletedMessages: removed ? [removed.message()] : [],
  })
  return null
}

function invalid(text: string): Refusal {
  return refuse('bad_request.validation_failure', text)
}

function checkCustody(
  message: SignedMessage,
  claim: KeyClaim | undefined,
  state: BatchState,
): Refusal | null {
  const custody = state.accounts.get(message.data.fid)!.custodyAddress
  return claim?.custody?.equals(custody) ? null : invalid('invalid custody signature')
}

function checkDeadline(deadline: number, timestamp: number): Refusal | null {
  return timestamp > deadline ? invalid('deadline has passed') : null
}

function checkRequest(message: SignedMessage, state: BatchState): Refusal | null {
  const request = state.keyClaims.get(message)?.request
  if (!request) return invalid('metadata is not a valid SignedKeyRequest')
  const custody = state.accounts.get(request.requestFid)?.custodyAddress
  return custody?.equals(request.requestSigner)
    ? null
    : invalid('signed key request is not signed by the custody address of its fid')
}

function checkHolder(message: SignedMessage, state: BatchState): Refusal | null {
  const { fid, keyAddBody } = message.data
  const storedKey = state.keys.get(keyAddBody!.key)
  const requestFid = state.keyClaims.get(message)!.request!.requestFid
  if (storedKey && (storedKey.fid !== fid || storedKey.requestFid !== requestFid))
    return invalid('key is already registered')
  if (state.isActiveSigner(fid, keyAddBody!.key)) return invalid('key is already registered')
  if (!storedKey && state.keys.keyCountOf(fid) >= maxKeysPerFid) {
    return invalid(`a fid may hold ${maxKeysPerFid} keys`)
  }
  return null
}
