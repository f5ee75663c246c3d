/**
 * The smallest value that at least a share of all values does not exceed (nearest rank).
 *
 * @param {Iterable<number>} values in any order
 * @param {number} share above 0, at most 1
 * @returns {number | null} null without values.
 */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null
}
