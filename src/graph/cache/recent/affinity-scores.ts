import { randomInt } from 'node:crypto'
import { forYouWindow } from '../../query/ranks.js'
import { nthLargest } from './nth-largest.js'

/** Bits of the latest signal's time: the window of a for-you feed has 259,200 seconds. */
const TIME_BITS = 18
const TIME_MASK = 2 ** TIME_BITS - 1

/** A request has at most 7,500 signals, and this table is at most half full. */
const SIGNALS = forYouWindow.followed * (forYouWindow.casts + forYouWindow.recasts + forYouWindow.likes)
const SLOTS = 2 ** Math.ceil(Math.log2(2 * SIGNALS))
const MASK = SLOTS - 1

/** The record of a slot, in words of 32 bits: the number of the cast and one, its score, and the author that is named. */
const WORDS = 4
const word = { cast: 0, score: 1, fidLow: 2, fidHigh: 3 } as const

/**
 * Scores of casts by the signals of one request: casts, recasts and likes of followed users. A cast is scored for each author
 * that its signals name: a reaction may name another author than the cast has.
 *
 * A score is the sum of the weights and, in its lower bits, the time of the latest signal, so that the highest score is that of
 * the most activity, the latest among equals. 300 users add at most 7 each, so a score has 30 bits.
 *
 * Open addressing in 256 kB, which stay in the processor's cache. Scores by the number of the cast were spread over 16 bytes
 * for each cast of the window: half of the time of a for-you feed was spent waiting for them.
 */
export class AffinityScores {
  readonly #words = new Uint32Array(WORDS * SLOTS)
  readonly #used = new Uint32Array(SLOTS)
  #size = 0
  // Users choose the authors that they name: without a secret, they could choose colliding ones.
  readonly #seed = randomInt(2 ** 31) * 2 + 1

  /** Begins a request. */
  clear(): void {
    for (let index = 0; index < this.#size; index += 1) this.#words[this.#used[index]! + word.cast] = 0
    this.#size = 0
  }

  /** @param time Seconds from the beginning of the feed's window to the signal. */
  add(cast: number, fidLow: number, fidHigh: number, weight: number, time: number): void {
    const words = this.#words
    for (let slot = this.#mix(cast, fidLow, fidHigh); ; slot = (slot + 1) & MASK) {
      const at = WORDS * slot
      const held = words[at + word.cast]!
      if (held === 0) {
        words[at + word.cast] = cast + 1
        words[at + word.score] = (weight << TIME_BITS) | time
        words[at + word.fidLow] = fidLow
        words[at + word.fidHigh] = fidHigh
        this.#used[this.#size] = at
        this.#size += 1
        return
      }
      if (held === cast + 1 && words[at + word.fidLow] === fidLow && words[at + word.fidHigh] === fidHigh) {
        const score = words[at + word.score]! + (weight << TIME_BITS)
        const latest = score & TIME_MASK
        words[at + word.score] = time > latest ? score + time - latest : score
        return
      }
    }
  }

  /**
   * The highest scores, in no order; as `castAt` and the others take them.
   *
   * @param compare Orders those of equal scores, as a sort does: the highest come first.
   */
  most(
    count: number,
    compare: (cast: number, fid: number, otherCast: number, otherFid: number) => number,
  ): number[] {
    const words = this.#words
    const scores = new Uint32Array(this.#size)
    for (let index = 0; index < this.#size; index += 1)
      scores[index] = words[this.#used[index]! + word.score]!
    const least = nthLargest(scores, count)
    const most: number[] = []
    const equals: number[] = []
    for (let index = 0; index < this.#size; index += 1) {
      if (scores[index]! > least) most.push(this.#used[index]!)
      else if (scores[index] === least) equals.push(this.#used[index]!)
    }
    const left = count - most.length
    if (equals.length > left)
      equals.sort((a, b) => compare(this.castAt(b), this.fidAt(b), this.castAt(a), this.fidAt(a)))
    for (const at of equals.slice(0, left)) most.push(at)
    return most
  }

  castAt(at: number): number {
    return this.#words[at + word.cast]! - 1
  }

  /** The author that the signals named. */
  fidAt(at: number): number {
    return this.#words[at + word.fidHigh]! * 2 ** 32 + this.#words[at + word.fidLow]!
  }

  affinityAt(at: number): number {
    return this.#words[at + word.score]! >>> TIME_BITS
  }

  #mix(cast: number, fidLow: number, fidHigh: number): number {
    let mixed = Math.imul(cast ^ this.#seed, 0x9e3779b1)
    mixed = Math.imul(mixed ^ (mixed >>> 15) ^ fidLow, 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13) ^ fidHigh, 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) & MASK
  }
}
