/** Chance that is the same in every run, and the skew of what people ask for. */

/** @param {number} seed @returns {() => number} from 0 to below 1 (mulberry32). */
export function seeded(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Of requests to sites of the web, 0.64 to 0.83 was measured (Breslau and others, 1999). */
const EXPONENT = 0.8

/**
 * Ranks by Zipf's law: the first is drawn most often.
 *
 * @param {number} count
 * @param {() => number} random
 * @returns {() => number} a rank, from 0 to below `count`.
 */
export function zipf(count, random) {
  const reached = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1) ** EXPONENT
    reached[rank] = sum
  }
  return () => {
    const drawn = random() * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (reached[middle] <= drawn) low = middle + 1
      else high = middle
    }
    return low
  }
}
