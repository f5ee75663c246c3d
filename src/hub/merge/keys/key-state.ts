import { type Refusal, refuse } from '../../../platform/errors.js'
import { asBuffer } from '../../../protocol/bytes.js'
import type { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'

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

/** An address that had custody of a fid, and when it gave it away, in Farcaster seconds. */
export interface FormerCustody {
  readonly address: Buffer
  readonly until: number
}

/** Owner of a nonce: the fid of the user, or the app. */
export const NonceKind = { user: 1, app: 2 } as const
export type NonceKind = (typeof NonceKind)[keyof typeof NonceKind]

/** The largest nonce that an owner has used: a row of `hub.key_nonces`. */
export interface Nonce {
  readonly kind: NonceKind
  readonly fid: number
  readonly nonce: number
}

/** Seconds by which a message must be later than the last use of its key to count as a use. */
const USE_INTERVAL_SECONDS = 300

/** Gasless keys and nonces that a batch can change, before and after it. */
export class KeyState {
  readonly #keys = new Map<string, { key: Buffer; before: GaslessKey | null; current: GaslessKey | null }>()
  readonly #nonces = new Map<string, Nonce & { changed: boolean }>()
  /** Number of keys by fid. */
  readonly #counts = new Map<number, number>()
  readonly #formerCustody = new Map<number, readonly FormerCustody[]>()

  load(key: GaslessKey): void {
    this.#keys.set(keyId(key.key), { key: key.key, before: key, current: key })
  }

  loadNonce(kind: NonceKind, fid: number, nonce: number): void {
    this.#nonces.set(nonceId(kind, fid), { kind, fid, nonce, changed: false })
  }

  loadFormerCustody(fid: number, custody: FormerCustody): void {
    this.#formerCustody.set(fid, [...(this.#formerCustody.get(fid) ?? []), custody])
  }

  /** The addresses that had custody of a user before, if the batch has key messages of that user. */
  formerCustodyOf(fid: number): readonly FormerCustody[] {
    return this.#formerCustody.get(fid) ?? []
  }

  loadCount(fid: number, count: number): void {
    this.#counts.set(fid, count)
  }

  get(key: Uint8Array): GaslessKey | null {
    return this.#keys.get(keyId(key))?.current ?? null
  }

  keyCountOf(fid: number): number {
    return this.#counts.get(fid) ?? 0
  }

  set(key: GaslessKey): void {
    const id = keyId(key.key)
    const tracked = this.#keys.get(id)
    if (!tracked?.current) this.#counts.set(key.fid, this.keyCountOf(key.fid) + 1)
    this.#keys.set(id, { key: key.key, before: tracked?.before ?? null, current: key })
  }

  delete(key: GaslessKey): void {
    const id = keyId(key.key)
    this.#keys.set(id, { key: key.key, before: this.#keys.get(id)?.before ?? null, current: null })
    this.#counts.set(key.fid, this.keyCountOf(key.fid) - 1)
  }

  /** Moves the expiry clock of the key that signed a message, in steps of 300 s (docs/protocol.md §4.6). */
  recordUse({ signer, data }: SignedMessage): void {
    const key = this.get(signer)
    if (key?.fid !== data.fid || data.timestamp <= key.lastUsedAt + USE_INTERVAL_SECONDS) return
    this.set({ ...key, lastUsedAt: data.timestamp })
  }

  /** Returns the largest nonce that an owner has used; 0 if none. */
  lastNonce(kind: NonceKind, fid: number): number {
    return this.#nonces.get(nonceId(kind, fid))?.nonce ?? 0
  }

  /** Uses a nonce. Refuses it unless it is larger than all used before. */
  consumeNonce(kind: NonceKind, fid: number, nonce: number): Refusal | null {
    const last = this.lastNonce(kind, fid)
    if (nonce <= last) {
      const text = `gasless-key nonce ${nonce} is not greater than stored nonce ${last}`
      return refuse('bad_request.conflict', text)
    }
    this.#nonces.set(nonceId(kind, fid), { kind, fid, nonce, changed: true })
    return null
  }

  changedKeys(): { key: Buffer; current: GaslessKey | null }[] {
    return [...this.#keys.values()].filter(({ before, current }) => before !== current)
  }

  changedNonces(): Nonce[] {
    return [...this.#nonces.values()].filter(({ changed }) => changed)
  }
}

function keyId(key: Uint8Array): string {
  return asBuffer(key).toString('hex')
}

function nonceId(kind: NonceKind, fid: number): string {
  return `${kind}/${fid}`
}
