import { randomBytes } from 'node:crypto'
import { HASH_BYTES } from '../../../protocol/hash.js'

const EMPTY = -1
const FIRST_CAPACITY = 1024

/** The record of a cast: six words of 32 bits, then a number of 64. */
const WORDS = 8
const NUMBERS = WORDS / 2
const field = { ts: 0, flags: 1, counts: 2 } as const
const numberField = { fid: 3 } as const

/** Flags of a cast. */
export const castFlag = {
  stored: 1,
  isReply: 2,
  countsKnown: 4,
  /** Some of its recasts may name another author. */
  misnamed: 8,
} as const

/** Counters of a cast. */
export const castCounter = { likes: 0, recasts: 1, replies: 2, quotes: 3 } as const
export type CastCounter = (typeof castCounter)[keyof typeof castCounter]

/**
 * Casts by number. A number names a cast in all lists of the window in four bytes instead of a hash of twenty. Casts that
 * are only named by a reaction have a number, too. Numbers are counted by their holders and used again.
 *
 * A cast takes about 70 bytes, all outside of the JavaScript heap. What a ranking asks of it lies side by side: each field in
 * an array of its own would be a miss of the processor's caches of its own.
 */
export class CastTable {
  #words = new Uint32Array(WORDS * FIRST_CAPACITY)
  #numbers = new Float64Array(this.#words.buffer)
  #hashes = Buffer.alloc(HASH_BYTES * FIRST_CAPACITY)
  #holders = new Uint32Array(FIRST_CAPACITY)
  /** Open addressing: numbers of casts, at most half full. */
  #slots = new Int32Array(2 * FIRST_CAPACITY).fill(EMPTY)
  #free: number[] = []
  #end = 0
  #size = 0
  // Users choose the hashes that they react to: without a secret, they could choose colliding ones.
  readonly #seed = randomBytes(4).readUInt32LE() | 1

  get size(): number {
    return this.#size
  }

  /** Forgets all casts; keeps the memory. */
  clear(): void {
    this.#slots.fill(EMPTY)
    this.#holders.fill(0)
    this.#free = []
    this.#end = 0
    this.#size = 0
  }

  get byteLength(): number {
    const arrays = [this.#words, this.#hashes, this.#holders, this.#slots]
    return arrays.reduce((sum, array) => sum + array.byteLength, 0)
  }

  /** Numbers are below this. */
  get capacity(): number {
    return this.#holders.length
  }

  /** The author, if the cast is, or was, stored; else 0. */
  fid(id: number): number {
    return this.#numbers[NUMBERS * id + numberField.fid]!
  }

  /** Farcaster seconds, if the cast is stored. */
  ts(id: number): number {
    return this.#words[WORDS * id + field.ts]!
  }

  /** Whether a cast has a flag of `castFlag`. */
  has(id: number, flag: number): boolean {
    return (this.#words[WORDS * id + field.flags]! & flag) !== 0
  }

  addFlag(id: number, flag: number): void {
    this.#words[WORDS * id + field.flags]! |= flag
  }

  clearFlags(id: number): void {
    this.#words[WORDS * id + field.flags] = 0
  }

  /** A counter, if they are known. */
  count(id: number, counter: CastCounter): number {
    return this.#words[WORDS * id + field.counts + counter]! | 0
  }

  addCount(id: number, counter: CastCounter, by: number): void {
    this.#words[WORDS * id + field.counts + counter]! += by
  }

  /** Sets the counters, in the order of `castCounter`. */
  setCounts(id: number, counts: ArrayLike<number>): void {
    this.#words.set(counts, WORDS * id + field.counts)
  }

  /** Sets what a stored cast is; its flags are those that are given. */
  store(id: number, { fid, ts, flags }: { fid: number; ts: number; flags: number }): void {
    this.#numbers[NUMBERS * id + numberField.fid] = fid
    this.#words[WORDS * id + field.ts] = ts
    this.#words[WORDS * id + field.flags] = flags
  }

  /** The number of a cast; -1 if it has none. */
  find(hash: Uint8Array): number {
    if (hash.length !== HASH_BYTES) return EMPTY
    const mask = this.#slots.length - 1
    for (let slot = this.#mix(hash, 0) & mask; ; slot = (slot + 1) & mask) {
      const id = this.#slots[slot]!
      if (id === EMPTY || this.#equals(id, hash)) return id
    }
  }

  /** The number of a cast, given to it if it has none. The caller is a holder of it from now on. */
  hold(hash: Uint8Array): number {
    let id = this.find(hash)
    if (id === EMPTY) id = this.#add(hash)
    this.#holders[id]! += 1
    return id
  }

  /** Ends a hold. */
  release(id: number): void {
    this.#holders[id]! -= 1
    if (this.#holders[id] !== 0) return
    this.#unlink(id)
    this.#free.push(id)
    this.#size -= 1
  }

  /** Orders two casts by hash. */
  compare(a: number, b: number): number {
    const hashes = this.#hashes
    return a === b
      ? 0
      : hashes.compare(hashes, b * HASH_BYTES, (b + 1) * HASH_BYTES, a * HASH_BYTES, (a + 1) * HASH_BYTES)
  }

  /** Orders a cast and a hash. */
  compareTo(id: number, hash: Uint8Array): number {
    return this.#hashes.compare(hash, 0, hash.length, id * HASH_BYTES, (id + 1) * HASH_BYTES)
  }

  /** The hash as hex without 0x. */
  hex(id: number): string {
    return this.#hashes.toString('hex', id * HASH_BYTES, (id + 1) * HASH_BYTES)
  }

  hash(id: number): Buffer {
    return Buffer.from(this.#hashes.subarray(id * HASH_BYTES, (id + 1) * HASH_BYTES))
  }

  #add(hash: Uint8Array): number {
    const id = this.#free.pop() ?? this.#end++
    if (id >= this.capacity) this.#grow()
    this.#hashes.set(hash, id * HASH_BYTES)
    this.#words.fill(0, WORDS * id, WORDS * (id + 1))
    this.#link(id)
    this.#size += 1
    return id
  }

  #link(id: number): void {
    const mask = this.#slots.length - 1
    let slot = this.#mix(this.#hashes, id * HASH_BYTES) & mask
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & mask
    this.#slots[slot] = id
  }

  /** Closes the gap that a number leaves: those behind it move up as far as their first slot allows. */
  #unlink(id: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let gap = this.#mix(this.#hashes, id * HASH_BYTES) & mask
    while (slots[gap] !== id) gap = (gap + 1) & mask
    for (let slot = (gap + 1) & mask; slots[slot] !== EMPTY; slot = (slot + 1) & mask) {
      const home = this.#mix(this.#hashes, slots[slot]! * HASH_BYTES) & mask
      if (((slot - home) & mask) < ((slot - gap) & mask)) continue
      slots[gap] = slots[slot]!
      gap = slot
    }
    slots[gap] = EMPTY
  }

  #grow(): void {
    const capacity = 2 * this.capacity
    this.#words = grown(this.#words, new Uint32Array(WORDS * capacity))
    this.#numbers = new Float64Array(this.#words.buffer)
    this.#holders = grown(this.#holders, new Uint32Array(capacity))
    this.#hashes = grown(this.#hashes, Buffer.alloc(HASH_BYTES * capacity))
    const linked = this.#slots
    this.#slots = new Int32Array(2 * capacity).fill(EMPTY)
    for (const id of linked) if (id !== EMPTY) this.#link(id)
  }

  #mix(bytes: Uint8Array, offset: number): number {
    let mixed = this.#seed
    for (let at = offset; at < offset + HASH_BYTES; at += 4) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      mixed = Math.imul(mixed ^ word, 0x9e3779b1)
      mixed ^= mixed >>> 15
    }
    return mixed >>> 0
  }

  #equals(id: number, hash: Uint8Array): boolean {
    const start = id * HASH_BYTES
    for (let index = 0; index < HASH_BYTES; index += 1) {
      if (this.#hashes[start + index] !== hash[index]) return false
    }
    return true
  }
}

/** Copies a typed array into a longer one. */
export function grown<Values extends Float64Array | Uint32Array | Int32Array | Uint8Array>(
  values: Values,
  longer: Values,
): Values {
  longer.set(values as never)
  return longer
}
