import { createHash } from 'node:crypto'

/**
 * A stream of pseudo-random numbers that depends on its name alone: sfc32, public domain, passes PractRand, and
 * is a few additions per number. Two streams of different names have nothing in common.
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

  /** A number in [0, 1). */
  fraction(): number {
    return this.#next() / 0x1_0000_0000
  }

  /** A whole number in [0, `count`). */
  below(count: number): number {
    return Math.floor(this.fraction() * count)
  }

  /** A whole number in [`from`, `to`], both ends included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }

  /** Waiting times and ages: exponential with this mean. */
  exponential(mean: number): number {
    return -Math.log(1 - this.fraction()) * mean
  }

  /** Few large, many small: Pareto with minimum 1 and this exponent (the smaller, the more unequal). */
  pareto(exponent: number): number {
    return Math.exp(-Math.log(1 - this.fraction()) / exponent)
  }
}

/** Draws indices in proportion to weights, from as many of the first ones as the caller says. */
export class WeightedIndex {
  /** `#sums[i]` is the weight of the first `i` indices. */
  readonly #sums: Float64Array

  constructor(weights: Float64Array) {
    this.#sums = new Float64Array(weights.length + 1)
    for (let index = 0; index < weights.length; index += 1) {
      this.#sums[index + 1] = this.#sums[index]! + weights[index]!
    }
  }

  /** The weight of the first `count` indices. */
  total(count: number): number {
    return this.#sums[count]!
  }

  /** One of the first `count` indices. */
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

/**
 * Splits a whole number into parts in proportion to weights, exactly: part by part, what rounding has left
 * over goes to the next.
 */
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
