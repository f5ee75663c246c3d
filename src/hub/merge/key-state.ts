import type { SignedMessage } from '../../protocol/message.js'
import type { GaslessKey, NonceKind } from './gasless-key.js'

/** The gasless keys and nonces that a batch can touch, as the database has them and as the batch leaves them. */
export class KeyState {
  readonly #keys = new Map<string, { key: Buffer; before: GaslessKey | null; current: GaslessKey | null }>()
  readonly #nonces = new Map<string, { kind: NonceKind; fid: number; nonce: number; changed: boolean }>()
  /** How many keys each fid holds. */
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

  /** A key that signs stays alive: its time starts anew with the message that it signed. */
  recordUse({ signer, data }: SignedMessage): void {
    const key = this.get(signer)
    if (key?.fid !== data.fid || data.timestamp <= key.lastUsedAt) return
    this.set({ ...key, lastUsedAt: data.timestamp })
  }

  /** Takes a nonce, which must be larger than all before it. */
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
