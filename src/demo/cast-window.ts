import { HOUR_SECONDS } from '../platform/durations.js'
import { HASH_BYTES } from '../protocol/hash.js'
import type { Random } from './random.js'

/** The stored data of a cast. */
export interface WindowCast {
  /** Number of the cast among all of the demo, from 0. */
  readonly index: number
  readonly user: number
  /** Unix seconds. */
  readonly at: number
  readonly hash: Buffer
  /** Index into `topics`, or -1 without a topic. */
  readonly topic: number
  /** ISO 639-1. */
  readonly language: string
}

/** Number of casts in the window, some 40 bytes each. Users ignore older ones. */
const CAPACITY = 65_536
const HOT_CAPACITY = 4096
/** Mean time for which a cast gets attention. */
const ATTENTION_SECONDS = 30 * HOUR_SECONDS
/** Maximum of the mean age, in casts, of a picked cast. It is otherwise the casts of a day. */
const MAX_MEAN_AGE_CASTS = 700

/** A ring of the newest casts, which users react and reply to. */
export class CastWindow {
  readonly #users = new Uint32Array(CAPACITY)
  readonly #times = new Float64Array(CAPACITY)
  readonly #topics = new Int8Array(CAPACITY)
  readonly #languages: string[] = []
  readonly #deleted = new Uint8Array(CAPACITY)
  readonly #hashes = Buffer.alloc(CAPACITY * HASH_BYTES)
  /** Casts with recent attention. A cast may occur repeatedly, which raises its chance. */
  readonly #hot = new Float64Array(HOT_CAPACITY)
  readonly #meanAgeCasts: number
  #hotCount = 0
  #count = 0

  /** @param castsPerDay Casts per day of the whole demo. */
  constructor(castsPerDay: number) {
    this.#meanAgeCasts = Math.min(Math.max(castsPerDay, 1), MAX_MEAN_AGE_CASTS)
  }

  /** Number of casts so far; the number of the next one. */
  get count(): number {
    return this.#count
  }

  add(cast: Omit<WindowCast, 'index'>): number {
    const index = this.#count++
    const slot = index % CAPACITY
    this.#users[slot] = cast.user
    this.#times[slot] = cast.at
    this.#topics[slot] = cast.topic
    this.#languages[slot] = cast.language
    this.#deleted[slot] = 0
    cast.hash.copy(this.#hashes, slot * HASH_BYTES)
    return index
  }

  /** Returns the cast with a number; null if it is too old or deleted. */
  get(index: number): WindowCast | null {
    const slot = index % CAPACITY
    if (index < 0 || index < this.#count - CAPACITY || this.#deleted[slot] === 1) return null
    return {
      index,
      user: this.#users[slot]!,
      at: this.#times[slot]!,
      hash: Buffer.from(this.#hashes.subarray(slot * HASH_BYTES, (slot + 1) * HASH_BYTES)),
      topic: this.#topics[slot]!,
      language: this.#languages[slot]!,
    }
  }

  delete(index: number): void {
    if (this.get(index)) this.#deleted[index % CAPACITY] = 1
  }

  /** Picks a recent cast; newer ones are more likely. */
  pickRecent(random: Random): WindowCast | null {
    return this.get(this.#count - 1 - Math.floor(random.exponential(this.#meanAgeCasts)))
  }

  /**
   * Picks a cast with recent attention; older ones are less likely.
   *
   * @param at The current time in Unix seconds.
   */
  pickHot(random: Random, at: number): WindowCast | null {
    if (this.#hotCount === 0) return null
    const cast = this.get(this.#hot[random.below(Math.min(this.#hotCount, HOT_CAPACITY))]!)
    return cast !== null && at - cast.at < random.exponential(ATTENTION_SECONDS) ? cast : null
  }

  /** Records a reaction or reply to the cast. */
  heat(index: number): void {
    this.#hot[this.#hotCount++ % HOT_CAPACITY] = index
  }

  /** Number of the oldest cast in the window. */
  get oldest(): number {
    return Math.max(0, this.#count - CAPACITY)
  }
}

/** Number of casts whose reactions are stored and deleted together. */
const BLOCK_CASTS = 4096

/** Stores the reactions to recent casts, so that no user repeats one. */
export class ReactionHistory {
  readonly #users: number
  /**
   * Reactions by block of casts. Keys stay below 2^53, and below 2^31 for up to 100,000 users, for which sets
   * are smallest.
   */
  readonly #blocks = new Map<number, Set<number>>()

  constructor(users: number) {
    this.#users = users
  }

  /** Adds a reaction. False if it exists already. `type` is 1 or 2. */
  add(cast: number, user: number, type: number): boolean {
    const number = Math.floor(cast / BLOCK_CASTS)
    let block = this.#blocks.get(number)
    if (block === undefined) {
      block = new Set()
      this.#blocks.set(number, block)
    }
    const key = ((cast % BLOCK_CASTS) * this.#users + user) * 2 + (type - 1)
    if (block.has(key)) return false
    block.add(key)
    return true
  }

  /** Deletes reactions to casts that have left the window. */
  deleteBefore(cast: number): void {
    for (const number of this.#blocks.keys()) {
      if ((number + 1) * BLOCK_CASTS > cast) return
      this.#blocks.delete(number)
    }
  }
}
