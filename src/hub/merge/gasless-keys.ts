import { KEY_REMOVE_SIGNATURE_TYPE_CUSTODY, MessageType } from '@farcaster/core'
import {
  type KeyRequest,
  recoverKeyAddCustody,
  recoverKeyRemoveCustody,
  verifySignedKeyRequest,
} from '../../protocol/kinds/key.js'
import type { SignedMessage } from '../../protocol/message.js'

/** A key that a custody address granted by message: a row of `hub.gasless_keys` (docs/protocol.md §4.6). */
export interface GaslessKey {
  readonly key: Buffer
  readonly fid: number
  /** Fid of the app that requested the key. */
  readonly requestFid: number
  readonly scopes: readonly MessageType[]
  /** The key expires when it has signed nothing for this long. */
  readonly ttlSeconds: number
  /** Farcaster seconds. */
  readonly lastUsedAt: number
}

/** Owner of a nonce: the fid of the user, or the app. */
export const NonceKind = { user: 1, app: 2 } as const
export type NonceKind = (typeof NonceKind)[keyof typeof NonceKind]

/**
 * Who authorized a key message, recovered from its signatures. Recovery takes milliseconds, so it runs before
 * the transaction.
 */
export interface KeyClaim {
  /** 20 bytes; null if the message needs no custody signature or has a malformed one. */
  readonly custody: Buffer | null
  readonly request: KeyRequest | null
}

/** Recovers the claims of all key messages of a batch. */
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

/** Returns true if the key may sign messages of a type now: in scope and not expired. */
export function canSign(key: GaslessKey, type: MessageType, now: number): boolean {
  return key.scopes.includes(type) && now - key.lastUsedAt <= key.ttlSeconds
}

/** Gasless keys and nonces that a batch can change, before and after it. */
export class KeyState {
  readonly #keys = new Map<string, { key: Buffer; before: GaslessKey | null; current: GaslessKey | null }>()
  readonly #nonces = new Map<string, { kind: NonceKind; fid: number; nonce: number; changed: boolean }>()
  /** Number of keys by fid. */
  readonly #counts = new Map<number, number>()

  load(key: GaslessKey): void {
    this.#keys.set(key.key.toString('hex'), { key: key.key, before: key, current: key })
  }

  loadNonce(kind: NonceKind, fid: number, nonce: number): void {
    this.#nonces.set(`${kind}/${fid}`, { kind, fid, nonce, changed: false })
  }

  loadCount(fid: number, count: number): void {
    this.#counts.set(fid, count)
  }

  get(key: Uint8Array): GaslessKey | null {
    return this.#keys.get(Buffer.from(key).toString('hex'))?.current ?? null
  }

  keyCountOf(fid: number): number {
    return this.#counts.get(fid) ?? 0
  }

  set(key: GaslessKey): void {
    const name = key.key.toString('hex')
    const tracked = this.#keys.get(name)
    if (!tracked?.current) this.#counts.set(key.fid, this.keyCountOf(key.fid) + 1)
    this.#keys.set(name, { key: key.key, before: tracked?.before ?? null, current: key })
  }

  delete(key: GaslessKey): void {
    const name = key.key.toString('hex')
    this.#keys.set(name, { key: key.key, before: this.#keys.get(name)?.before ?? null, current: null })
    this.#counts.set(key.fid, this.keyCountOf(key.fid) - 1)
  }

  /** Moves the expiry clock of the key that signed a message (docs/protocol.md §4.6). */
  recordUse({ signer, data }: SignedMessage): void {
    const key = this.get(signer)
    if (key?.fid !== data.fid || data.timestamp <= key.lastUsedAt) return
    this.set({ ...key, lastUsedAt: data.timestamp })
  }

  /** Uses a nonce. Returns false unless it is larger than all used before. */
  consumeNonce(kind: NonceKind, fid: number, nonce: number): boolean {
    const last = this.#nonces.get(`${kind}/${fid}`)?.nonce ?? 0
    if (nonce <= last) return false
    this.#nonces.set(`${kind}/${fid}`, { kind, fid, nonce, changed: true })
    return true
  }

  changedKeys(): { key: Buffer; current: GaslessKey | null }[] {
    return [...this.#keys.values()].filter(({ before, current }) => before !== current)
  }

  changedNonces(): { kind: NonceKind; fid: number; nonce: number }[] {
    return [...this.#nonces.values()].filter(({ changed }) => changed)
  }
}
