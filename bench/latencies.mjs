/** Each bucket is so much wider than the one before: quantiles are right to 2 %. */
const GROWTH = 1.02
/** The first bucket, in milliseconds. */
const MIN_MS = 0.1

/** How long things took, counted in buckets: an hour of them takes no more room than a minute. */
export class Latencies {
  /** @type {number[]} */
  #counts = []
  count = 0

  /** @param {number} ms */
  add(ms) {
    const bucket = ms <= MIN_MS ? 0 : Math.ceil(Math.log(ms / MIN_MS) / Math.log(GROWTH))
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.count += 1
  }

  /** @param {number} share @returns {number} milliseconds; 0 of nothing. */
  quantile(share) {
    let left = Math.max(1, Math.ceil(this.count * share))
    // Not every bucket is there, so by index and not by value.
    for (let bucket = 0; bucket < this.#counts.length; bucket += 1) {
      left -= this.#counts[bucket] ?? 0
      if (left <= 0) return MIN_MS * GROWTH ** bucket
    }
    return 0
  }

  /** @param {readonly Latencies[]} all @returns {Latencies} all of them as one. */
  static merge(all) {
    const merged = new Latencies()
    for (const each of all) {
      merged.count += each.count
      each.#counts.forEach((count, bucket) => {
        merged.#counts[bucket] = (merged.#counts[bucket] ?? 0) + count
      })
    }
    return merged
  }
}
