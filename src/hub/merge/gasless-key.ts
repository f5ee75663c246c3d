import { KEY_REMOVE_SIGNATURE_TYPE_CUSTODY, MessageType } from '@farcaster/core'
import {
  type KeyRequest,
  recoverKeyAddCustody,
  recoverKeyRemoveCustody,
  verifySignedKeyRequest,
} from '../../protocol/kinds/key-claim.js'
import type { SignedMessage } from '../../protocol/message.js'

/** A key that a custody address granted without a transaction: a row of `hub.gasless_keys`. */
export interface GaslessKey {
  readonly key: Buffer
  readonly fid: number
  /** The app that asked for it. */
  readonly requestFid: number
  readonly scopes: readonly MessageType[]
  /** It ends when it has not signed anything for so long. */
  readonly ttlSeconds: number
  /** Farcaster seconds. */
  readonly lastUsedAt: number
}

/** Whose nonces a grant or a removal uses up. */
export const NonceKind = { user: 1, app: 2 } as const
export type NonceKind = (typeof NonceKind)[keyof typeof NonceKind]

/** Who authorised a key message, recovered from its signatures: milliseconds each, so it is done before the
 * transaction. */
export interface KeyClaim {
  /** 20 bytes; null when the message needs none or the signature is malformed. */
  readonly custody: Buffer | null
  readonly request: KeyRequest | null
}

/** The claims of the key messages in a batch. */
export async function recoverKeyClaims(
  messages: readonly SignedMessage[],
): Promise<ReadonlyMap<SignedMessage, KeyClaim>> {
  const claims = new Map<SignedMessage, KeyClaim>()
  for (const message of messages) {
    const claim = await recoverKeyClaim(message)
    if (claim) claims.set(message, claim)
  }
  return claims
}

async function recoverKeyClaim({ data }: SignedMessage): Promise<KeyClaim | null> {
  if (data.keyAddBody && data.type === MessageType.KEY_ADD) {
    const custody = await recoverKeyAddCustody(data.keyAddBody, data.fid)
    const request = await verifySignedKeyRequest(data.keyAddBody, data.timestamp)
    return { custody, request: 'code' in request ? null : request }
  }
  if (data.keyRemoveBody?.signatureType === KEY_REMOVE_SIGNATURE_TYPE_CUSTODY) {
    return { custody: await recoverKeyRemoveCustody(data.keyRemoveBody, data.fid), request: null }
  }
  return null
}

/** True when the key may sign messages of a type now: in scope, and used recently enough. */
export function canSign(key: GaslessKey, type: MessageType, now: number): boolean {
  return key.scopes.includes(type) && now - key.lastUsedAt <= key.ttlSeconds
}
