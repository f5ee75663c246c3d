import { setTimeout as sleep } from 'node:timers/promises'
import { startBareRoute } from './bare-route-process.mjs'
import { cacheCountsBetween, readCacheCounts } from './cache-metrics.mjs'
import { startLoadProcess } from './load-process.mjs'
import { cpuTaken } from './process-usage.mjs'

/** One operation on one server, for some seconds. */

/** What a consumer of the log has to do for the writes of one operation must not burden the next one. */
const SETTLE_LIMIT_MS = 15_000

/**
 * @typedef {object} Measured
 * @property {number} requests
 * @property {number} seconds
 * @property {Float64Array} tookMs
 * @property {number} bytes
 * @property {Record<string, number>} errors
 * @property {Buffer[]} pages
 * @property {number | null} serverSeconds CPU time, that of the writes included.
 * @property {number | null} postgresSeconds
 * @property {import('./read-writes.mjs').WriteOutcome | null} writes
 * @property {import('./cache-metrics.mjs').CacheCounts} caches
 * @property {number} lagBlocks What the slowest consumer of the log had not worked through in the end.
 */

/** The processes that read and write. */
export class Load {
  #reader = startLoadProcess('./read-requests.mjs')
  /** @type {Map<import('./read-servers.mjs').Side, ReturnType<typeof startLoadProcess>>} */
  #writers = new Map()
  #options

  /** @param {{ connections: number, warmSeconds: number }} options */
  constructor(options) {
    this.#options = options
  }

  /**
   * A server that is written to needs a writer of its own: removals are of what was sent to it.
   *
   * @param {import('./read-servers.mjs').Side} side
   */
  async startWriter(side) {
    const writer = startLoadProcess('./read-writes.mjs')
    this.#writers.set(side, writer)
    await writer.send({ network: side.network }, { last: 'isReady' })
  }

  /**
   * @param {import('./read-servers.mjs').Side} side
   * @param {{ operation: string, perSecond: number, seconds: number, seed: number, isNarrow?: boolean, samples?: number }} options
   * `perSecond`: writes. `samples`: bodies that are given back, at most.
   * @returns {Promise<Measured>}
   */
  async measure(side, { operation, perSecond, seconds, seed, isNarrow = false, samples = 0 }) {
    const { server, network } = side
    const { connections, warmSeconds } = this.#options
    const cachesBefore = await readCacheCounts(server.url)
    const writing = this.#write(side, perSecond, seconds, warmSeconds)
    /** @type {ReturnType<typeof cpuTaken> | undefined} */
    let before
    const how = { connections, warmSeconds, seconds, seed, isNarrow, samples }
    const load = { url: server.url, operation, network, ...how }
    const outcome = await this.#reader.send(load, {
      last: 'outcome',
      onOther: () => {
        before = cpuTaken(server.pid, server.postgresPid)
      },
    })
    const taken = await cpuTaken(server.pid, server.postgresPid)
    const first = await before
    const writes = await writing
    const caches = cacheCountsBetween(cachesBefore, await readCacheCounts(server.url))
    const lagBlocks = await settle(server.url)
    return { ...outcome, ...secondsBetween(first, taken), writes, caches, lagBlocks }
  }

  /**
   * What writes cost where nobody reads.
   *
   * @param {import('./read-servers.mjs').Side} side
   * @param {{ perSecond: number, seconds: number }} options
   */
  async measureWrites(side, { perSecond, seconds }) {
    const { server } = side
    const before = await cpuTaken(server.pid, server.postgresPid)
    const startMs = performance.now()
    const writes = await this.#write(side, perSecond, seconds, 0)
    await settle(server.url)
    const taken = secondsBetween(before, await cpuTaken(server.pid, server.postgresPid))
    return { writes, seconds: (performance.now() - startMs) / 1000, ...taken }
  }

  /**
   * Requests a second of a bare route with the same bytes.
   *
   * @param {Buffer[]} pages
   * @param {number} seconds
   */
  async measureBare(pages, seconds) {
    const route = await startBareRoute(pages)
    try {
      const what = { url: route.url, operation: null, pages: pages.length, samples: 0 }
      const load = { ...this.#options, ...what, seconds, seed: 1 }
      const outcome = await this.#reader.send(load, { last: 'outcome' })
      return outcome.requests / outcome.seconds
    } finally {
      await route.stop()
    }
  }

  /**
   * @param {import('./read-servers.mjs').Side} side
   * @param {number} perSecond
   * @param {number} seconds That count.
   * @param {number} warmSeconds Before that.
   * @returns {Promise<import('./read-writes.mjs').WriteOutcome | null>}
   */
  async #write(side, perSecond, seconds, warmSeconds) {
    const writer = this.#writers.get(side)
    if (perSecond === 0 || writer === undefined) return null
    const load = {
      url: side.server.url,
      perSecond,
      seconds: warmSeconds + seconds,
      countAfterSeconds: warmSeconds,
    }
    return await writer.send(load, { last: 'outcome' })
  }

  /** Stops the reader and all writers. */
  stop() {
    this.#reader.stop()
    for (const writer of this.#writers.values()) writer.stop()
  }
}

/**
 * Waits until the consumers of the log are level.
 *
 * @param {string} url
 * @returns {Promise<number>} how many blocks the slowest was behind at first.
 */
async function settle(url) {
  const endMs = performance.now() + SETTLE_LIMIT_MS
  const first = await lagOf(url)
  for (let lag = first; lag > 1 && performance.now() < endMs; lag = await lagOf(url)) await sleep(100)
  return first
}

/** @param {string} url */
async function lagOf(url) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const blocks = [...text.matchAll(/^plaza_consumer_lag_blocks\{.*\} (\S+)$/gm)].map(([, value]) =>
    Number(value),
  )
  return Math.max(0, ...blocks)
}

/**
 * @param {Awaited<ReturnType<typeof cpuTaken>> | undefined} before
 * @param {Awaited<ReturnType<typeof cpuTaken>>} after
 * @returns {Pick<Measured, 'serverSeconds' | 'postgresSeconds'>}
 */
function secondsBetween(before, after) {
  const between = (/** @type {'server' | 'postgres'} */ of) =>
    before?.[of] == null || after[of] === null ? null : after[of] - before[of]
  return { serverSeconds: between('server'), postgresSeconds: between('postgres') }
}
