import { mulberry32 } from '../../../src/protocol/testing/random.js'

/** Random choices that depend only on the seed. */
export class Random {
  private readonly next: () => number

  constructor(seed: number) {
    this.next = mulberry32(seed ^ 0x9e3779b9)
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return this.next() % limit
  }

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  /** True in so many of 100 cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  /** One of the values, each as likely. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  /** Returns random bytes. */
  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** One of several values, by weight. */
  weighted<T>(entries: readonly (readonly [number, T])[]): T {
    let rest = this.below(entries.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, value] of entries) {
      if (rest < weight) return value
      rest -= weight
    }
    throw new Error('no entry')
  }
}
