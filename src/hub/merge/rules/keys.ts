import { type Refusal, refuse } from '../../../platform/errors.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { KEY_REMOVE_SIGNATURE_TYPE_CUSTODY, MAX_KEYS_PER_FID } from '../../../protocol/key-rules.js'
import { MALFORMED_KEY_REQUEST, type VerifiedKeyRequest } from '../../../protocol/kinds/key.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { isCustody, isGranter } from '../key-order.js'
import { NonceKind } from '../keys/key-state.js'
import type { MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import { type ConflictKey, toStoredMessage } from '../stored-message.js'

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
  if (!request) return checkGranter(message, state) ?? invalid(MALFORMED_KEY_REQUEST)
  if (state.historical.has(message) && state.get(conflictKey)?.hash.equals(message.hash))
    return refuse('bad_request.duplicate', 'message has already been merged')
  const refusal =
    checkGranter(message, state) ??
    (state.historical.has(message) ? null : checkRequest(message, request, state)) ??
    checkHolder(message, request, state) ??
    state.keys.consumeNonce(NonceKind.user, fid, body.nonce)
  if (refusal) return refusal

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
  const { fid } = message.data
  const body = message.data.keyRemoveBody!
  const key = state.keys.get(body.key)
  if (key?.fid !== fid) return invalid('key is not registered for this fid')
  const refusal =
    body.signatureType === KEY_REMOVE_SIGNATURE_TYPE_CUSTODY
      ? (checkCustody(message, state) ?? state.keys.consumeNonce(NonceKind.user, fid, body.nonce))
      : state.keys.consumeNonce(NonceKind.app, key.requestFid, body.nonce)
  if (refusal) return refusal

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

function checkGranter(message: SignedMessage, state: BatchState): Refusal | null {
  return isGranter(message, state) ? null : invalid('invalid signature')
}

function checkCustody(message: SignedMessage, state: BatchState): Refusal | null {
  return isCustody(message, state) ? null : invalid('invalid signature')
}

/** Checks that the owner of the app has signed its request. The upstream has, if the app is not known here: it is of no selected user. */
function checkRequest(
  message: SignedMessage,
  { requestFid, requestSigner }: VerifiedKeyRequest,
  state: BatchState,
): Refusal | null {
  const custody = state.accounts.get(requestFid)?.custodyAddress
  if (custody === undefined && state.synced.has(message)) return null
  return custody?.equals(requestSigner)
    ? null
    : invalid('requestSigner does not match custody address of requestFid')
}

function checkHolder(
  message: SignedMessage,
  { requestFid }: VerifiedKeyRequest,
  state: BatchState,
): Refusal | null {
  const { fid, keyAddBody } = message.data
  const stored = state.keys.get(keyAddBody!.key)
  if (state.isActiveSigner(fid, keyAddBody!.key)) {
    return invalid('key is already registered onchain for this fid')
  }
  if (stored && stored.fid !== fid) return invalid('key is already claimed by a different fid')
  if (stored && stored.requestFid !== requestFid) {
    return invalid('key is already registered for this fid by a different requesting fid')
  }
  if (!stored && state.keys.keyCountOf(fid) >= MAX_KEYS_PER_FID) {
    return invalid(`active-key cap exceeded: ${MAX_KEYS_PER_FID} keys per FID`)
  }
  return null
}
