/** A seeded random source: one seed always yields the same tests. */
export interface Random {
  /** Returns an integer in [0, limit). */
  below(limit: number): number
  /** Returns one of the items. */
  pick<T>(items: readonly T[]): T
  bytes(length: number): Buffer
}

/** Creates a source of whole numbers below 2^32 (mulberry32): small, fast and sufficient to choose test cases. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** Creates a random source. */
export function seededRandom(seed: number): Random {
  const next = mulberry32(seed)
  const below = (limit: number): number => next() % limit
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
