import { createHash } from 'node:crypto'

/**
 * A stream of pseudo-random numbers that depends only on its name. It is sfc32: public domain, passes
 * PractRand, and takes a few additions per number. Streams of different names are independent.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(name: string) {
    const digest = createHash('sha256').update(name).digest()
    this.#a = digest.readInt32LE(0)
    this.#b = digest.readInt32LE(4)
    this.#c = digest.readInt32LE(8)
    for (let round = 0; round < 12; round += 1) this.#next()
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** Returns a number in [0, 1). */
  fraction(): number {
    return this.#next() / 0x1_0000_0000
  }

  /** Returns a whole number in [0, `count`). */
  below(count: number): number {
    return Math.floor(this.fraction() * count)
  }

  /** Returns a whole number in [`from`, `to`], both inclusive. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }

  /** Draws from the exponential distribution with this mean, for waiting times and ages. */
  exponential(mean: number): number {
    return -Math.log(1 - this.fraction()) * mean
  }

  /** Draws from the Pareto distribution with minimum 1. A smaller exponent is more unequal. */
  pareto(exponent: number): number {
    return Math.exp(-Math.log(1 - this.fraction()) / exponent)
  }
}

/** Draws indices in proportion to weights. */
export class WeightedIndex {
  /** `#sums[i]` is the total weight of the first `i` indices. */
  readonly #sums: Float64Array

  constructor(weights: Float64Array) {
    this.#sums = new Float64Array(weights.length + 1)
    for (let index = 0; index < weights.length; index += 1) {
      this.#sums[index + 1] = this.#sums[index]! + weights[index]!
    }
  }

  /** Returns the total weight of the first `count` indices. */
  total(count: number): number {
    return this.#sums[count]!
  }

  /** Draws one of the first `count` indices. */
  draw(random: Random, count: number): number {
    const point = random.fraction() * this.#sums[count]!
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sums[middle + 1]! > point) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Splits a whole number exactly, in proportion to weights. Rounding errors carry over to the next part. */
export function apportion(total: number, weights: Float64Array): Uint32Array {
  const parts = new Uint32Array(weights.length)
  const weightOfAll = weights.reduce((sum, weight) => sum + weight, 0)
  let cumulativeWeight = 0
  let assigned = 0
  for (const [index, weight] of weights.entries()) {
    cumulativeWeight += weight
    const target = index === weights.length - 1 ? total : Math.floor((total * cumulativeWeight) / weightOfAll)
    parts[index] = target - assigned
    assigned = target
  }
  return parts
}
