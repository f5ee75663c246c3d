import { quantile } from './quantiles.mjs'

/** Several turns of one operation as one figure. */

/** @typedef {import('./read-measure.mjs').Measured} Measured */

/** @param {readonly Measured[]} turns */
export function sumUp(turns) {
  const sum = (/** @type {(turn: Measured) => number | null} */ of) =>
    turns.reduce(
      (/** @type {number | null} */ all, turn) => (all === null || of(turn) === null ? null : all + of(turn)),
      0,
    )
  const requests = sum((turn) => turn.requests)
  const seconds = sum((turn) => turn.seconds)
  const cpuMs = (/** @type {'serverSeconds' | 'postgresSeconds'} */ of) => {
    const taken = sum((turn) => turn[of])
    return taken === null ? null : (taken * 1000) / requests
  }
  const reads = quantiles(turns.map(({ tookMs }) => tookMs))
  const writes = quantiles(turns.map(({ writes }) => writes?.tookMs ?? []))
  return {
    perSecond: requests / seconds,
    p50Ms: reads.p50Ms,
    p99Ms: reads.p99Ms,
    serverMs: cpuMs('serverSeconds'),
    postgresMs: cpuMs('postgresSeconds'),
    bytes: sum((turn) => turn.bytes) / requests,
    writesPerSecond: writes.count / seconds,
    writeP50Ms: writes.p50Ms,
    writeP99Ms: writes.p99Ms,
    lagBlocks: Math.max(...turns.map(({ lagBlocks }) => lagBlocks)),
    errors: addUp(turns.map(({ errors }) => errors)),
    refused: addUp(turns.map(({ writes }) => writes?.refused ?? {})),
    caches: cacheCountsOf(turns),
  }
}

/** @param {readonly ArrayLike<number>[]} parts @returns {{ count: number, p50Ms: number | null, p99Ms: number | null }} */
export function quantiles(parts) {
  const all = parts.flatMap((part) => Array.from(part))
  return { count: all.length, p50Ms: quantile(all, 0.5), p99Ms: quantile(all, 0.99) }
}

/** @param {readonly Record<string, number>[]} all @returns {Record<string, number>} */
function addUp(all) {
  const sums = /** @type {Record<string, number>} */ ({})
  for (const [name, count] of all.flatMap(Object.entries)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

/** @param {readonly Measured[]} turns @returns {import('./cache-metrics.mjs').CacheCounts} */
function cacheCountsOf(turns) {
  const sums = /** @type {import('./cache-metrics.mjs').CacheCounts} */ ({})
  for (const [cache, { hits, misses }] of turns.flatMap(({ caches }) => Object.entries(caches))) {
    const before = sums[cache] ?? { hits: 0, misses: 0 }
    sums[cache] = { hits: before.hits + hits, misses: before.misses + misses }
  }
  return sums
}
