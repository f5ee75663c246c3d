import { MessageType } from '../../protocol/definitions.js'
import { KEY_REMOVE_SIGNATURE_TYPE_CUSTODY } from '../../protocol/key-rules.js'
import type { SignedMessage } from '../../protocol/message.js'
import { NonceKind } from './keys/key-state.js'
import type { BatchState } from './state.js'

/** The place of a key message among the messages of its batch. */
export interface KeyMessageOrder {
  /** Farcaster seconds: its timestamp, or a later one of a key message with a smaller nonce. */
  readonly time: number
  readonly nonce: number
}

/** A nonce of an owner. */
interface OwnedNonce {
  readonly kind: NonceKind
  readonly fid: number
  readonly nonce: number
}

/**
 * Orders the key messages of a batch by nonce: one that came before another with a smaller nonce would use up both.
 * Their timestamps, which their senders choose, may say otherwise. Messages that anybody could send do not take part:
 * with a small nonce and a late timestamp they would delay the key messages of another user.
 */
export function orderKeyMessages(
  messages: readonly SignedMessage[],
  state: BatchState,
): ReadonlyMap<SignedMessage, KeyMessageOrder> {
  const ordered = messages
    .flatMap((message) => {
      const owned = nonceOf(message, state)
      return owned === null ? [] : [{ message, ...owned }]
    })
    .sort((a, b) => a.nonce - b.nonce)
  const latest = new Map<string, number>()
  const orders = new Map<SignedMessage, KeyMessageOrder>()
  for (const { message, kind, fid, nonce } of ordered) {
    const owner = `${kind}/${fid}`
    const time = Math.max(message.data.timestamp, latest.get(owner) ?? 0)
    latest.set(owner, time)
    orders.set(message, { time, nonce })
  }
  return orders
}

/** Returns the nonce that a key message would use; null for others, and for those that are refused in any order. */
function nonceOf(message: SignedMessage, state: BatchState): OwnedNonce | null {
  const owned = claimedNonce(message, state)
  return owned && owned.nonce > state.keys.lastNonce(owned.kind, owned.fid) ? owned : null
}

function claimedNonce(message: SignedMessage, state: BatchState): OwnedNonce | null {
  const { type, fid, keyAddBody, keyRemoveBody } = message.data
  if (type === MessageType.KEY_ADD && keyAddBody) {
    return isGranter(message, state) ? { kind: NonceKind.user, fid, nonce: keyAddBody.nonce } : null
  }
  if (type !== MessageType.KEY_REMOVE || !keyRemoveBody) return null
  const { key, nonce, signatureType } = keyRemoveBody
  if (signatureType === KEY_REMOVE_SIGNATURE_TYPE_CUSTODY) {
    return isCustody(message, state) ? { kind: NonceKind.user, fid, nonce } : null
  }
  const stored = state.keys.get(key)
  return stored?.fid === fid ? { kind: NonceKind.app, fid: stored.requestFid, nonce } : null
}

/** Returns true if the custody address of the user has signed a key message. */
export function isCustody(message: SignedMessage, state: BatchState): boolean {
  const custody = state.accounts.get(message.data.fid)?.custodyAddress
  return custody !== undefined && state.keyClaims.get(message)?.custody?.equals(custody) === true
}

/**
 * Returns true if the signer of a KEY_ADD may grant keys of the user. A transfer of the fid leaves keys as they are: a
 * historical grant may be of an address that had custody when it was made.
 */
export function isGranter(message: SignedMessage, state: BatchState): boolean {
  if (isCustody(message, state)) return true
  if (!state.historical.has(message)) return false
  const { fid, timestamp } = message.data
  const granter = state.keyClaims.get(message)?.custody
  return state.keys
    .formerCustodyOf(fid)
    .some(({ address, until }) => timestamp <= until && granter?.equals(address))
}
