import { HASH_BYTES } from '../protocol/hash.js'
import type { Random } from './random.js'

/** What is remembered of a cast. */
export interface RecentCast {
  /** Its number among all casts of the demo, from 0. */
  readonly index: number
  readonly user: number
  /** Unix seconds. */
  readonly at: number
  readonly hash: Buffer
  /** Index into `topics`, or -1 for small talk. */
  readonly topic: number
  /** ISO 639-1. */
  readonly language: string
}

/** Attention has moved on from older casts. Some 40 bytes each. */
const CAPACITY = 65_536
const HOT_CAPACITY = 4096
/** How long something is talked about, on average. */
const ATTENTION_SECONDS = 30 * 3600
/** How many casts people look back, on average: those of a day, and no more than this. */
const MAX_MEAN_AGE_CASTS = 700

/** The casts that people still react and reply to: the newest ones, in a ring. */
export class CastWindow {
  readonly #users = new Uint32Array(CAPACITY)
  readonly #times = new Float64Array(CAPACITY)
  readonly #topics = new Int8Array(CAPACITY)
  readonly #languages: string[] = []
  readonly #deleted = new Uint8Array(CAPACITY)
  readonly #hashes = Buffer.alloc(CAPACITY * HASH_BYTES)
  /** Casts that got attention last; the more often in here, the more they get. */
  readonly #hot = new Float64Array(HOT_CAPACITY)
  readonly #meanAgeCasts: number
  #hotCount = 0
  #count = 0

  /** `castsPerDay` is that of the whole demo. */
  constructor(castsPerDay: number) {
    this.#meanAgeCasts = Math.min(Math.max(castsPerDay, 1), MAX_MEAN_AGE_CASTS)
  }

  /** How many casts there were; the number of the next one. */
  get count(): number {
    return this.#count
  }

  add(cast: Omit<RecentCast, 'index'>): number {
    const index = this.#count++
    const place = index % CAPACITY
    this.#users[place] = cast.user
    this.#times[place] = cast.at
    this.#topics[place] = cast.topic
    this.#languages[place] = cast.language
    this.#deleted[place] = 0
    cast.hash.copy(this.#hashes, place * HASH_BYTES)
    return index
  }

  /** The cast of a number; null when it is too old or was deleted. */
  get(index: number): RecentCast | null {
    const place = index % CAPACITY
    if (index < 0 || index < this.#count - CAPACITY || this.#deleted[place] === 1) return null
    return {
      index,
      user: this.#users[place]!,
      at: this.#times[place]!,
      hash: Buffer.from(this.#hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)),
      topic: this.#topics[place]!,
      language: this.#languages[place]!,
    }
  }

  delete(index: number): void {
    if (this.get(index)) this.#deleted[index % CAPACITY] = 1
  }

  /** A recent cast: the newer, the likelier. */
  pickRecent(random: Random): RecentCast | null {
    return this.get(this.#count - 1 - Math.floor(random.exponential(this.#meanAgeCasts)))
  }

  /**
   * A cast that got attention of late; the older it is, the less likely.
   *
   * @param at now, in Unix seconds.
   */
  pickHot(random: Random, at: number): RecentCast | null {
    if (this.#hotCount === 0) return null
    const cast = this.get(this.#hot[random.below(Math.min(this.#hotCount, HOT_CAPACITY))]!)
    return cast !== null && at - cast.at < random.exponential(ATTENTION_SECONDS) ? cast : null
  }

  /** Somebody reacted to the cast or replied to it. */
  heat(index: number): void {
    this.#hot[this.#hotCount++ % HOT_CAPACITY] = index
  }

  /** The number of the oldest cast that is remembered. */
  get oldest(): number {
    return Math.max(0, this.#count - CAPACITY)
  }
}

/** Casts whose reactions are remembered, and forgotten, together. */
const BLOCK_CASTS = 4096

/** Who has reacted to which recent cast how, so that nobody does it twice. */
export class ReactionHistory {
  readonly #users: number
  /** By block of casts. Keys stay below 2^53, and below 2^31 for up to 100,000 users, where sets are smallest. */
  readonly #blocks = new Map<number, Set<number>>()

  constructor(users: number) {
    this.#users = users
  }

  /** False when it was there already. `type` is 1 or 2. */
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

  /** Forgets casts that nobody can react to any more. */
  deleteBefore(cast: number): void {
    for (const number of this.#blocks.keys()) {
      if ((number + 1) * BLOCK_CASTS > cast) return
      this.#blocks.delete(number)
    }
  }
}
