import { query } from './database.mjs'
import { Latencies } from './latencies.mjs'
import { proportionalMb, proportionalMbOfTree } from './process-memory.mjs'
import { processorTimes, residentMb } from './process-usage.mjs'
import { CAST_ADD } from './soak-mix.mjs'

/** What is seen of a server under load, minute by minute. */

const MINUTE_MS = 60_000
const SAMPLE_MS = 10_000

/**
 * @typedef {object} Sample One look at the server, which costs it little.
 * @property {number} serverMb Resident.
 * @property {number} serverOwnMb What it shares with others counted in part.
 * @property {number} heapMb Used of V8's heap.
 * @property {number} postgresMb All its processes, what they share counted once.
 * @property {number} consumerBlocks Of the log that the slowest consumer has not worked through.
 * @property {number} unlogged Messages that were accepted and are not in the log yet.
 */

/** @typedef {ReturnType<typeof emptyMinute>} Minute */

function emptyMinute() {
  return {
    reads: new Latencies(),
    writes: new Latencies(),
    delivered: new Latencies(),
    streamed: new Latencies(),
    /** @type {Sample[]} */
    samples: [],
    /** @type {Record<string, number>} */
    errors: {},
    databaseMb: 0,
    deadRows: 0,
    /** Of the time between the looks of the minute; all 0 where there is no /proc. */
    processors: { tookMs: 0, allMs: 0, idleMs: 0, stolenMs: 0, waitedMs: 0 },
  }
}

/** What was accepted and has to arrive somewhere. */
class Arrivals {
  /** When each was answered. @type {Map<string, number>} */
  #answered = new Map()
  /** What came before its answer did. @type {Map<string, number>} */
  #early = new Map()
  count = 0

  /** @param {string} hash @param {Latencies} lags */
  answer(hash, lags) {
    const arrivedMs = this.#early.get(hash)
    if (arrivedMs === undefined) this.#answered.set(hash, Date.now())
    else this.#settle(hash, 0, lags)
  }

  /** @param {string} hash @param {number} atMs @param {Latencies} lags */
  arrive(hash, atMs, lags) {
    const answeredMs = this.#answered.get(hash)
    if (answeredMs === undefined) this.#early.set(hash, atMs)
    else this.#settle(hash, atMs - answeredMs, lags)
  }

  #settle(hash, lagMs, lags) {
    this.#answered.delete(hash)
    this.#early.delete(hash)
    this.count += 1
    lags.add(lagMs)
  }

  /** What was answered and has not arrived. */
  get missing() {
    return this.#answered.size
  }
}

/** Keeps account of a run: what was answered, what has arrived, and the minutes. */
export class Account {
  /** @type {Minute[]} */
  minutes = []
  /** How long each operation took, all minutes together. @type {Map<string, Latencies>} */
  operations = new Map()
  /** Accepted messages by their type. @type {Record<number, number>} */
  accepted = {}
  /** Writes that were not accepted, as far as the answer tells. */
  failedWrites = 0
  /** The first of each kind. @type {Record<string, string>} */
  examples = {}
  delivered = new Arrivals()
  streamed = new Arrivals()
  doubles = 0
  receiverMb = 0
  #startMs = 0

  /** Begins the minutes anew: what was accepted before still counts. */
  restart() {
    this.minutes = []
    this.operations = new Map()
    this.#startMs = performance.now()
  }

  /** @returns {Minute} the one that runs. */
  get minute() {
    const index = Math.floor((performance.now() - this.#startMs) / MINUTE_MS)
    while (this.minutes.length <= index) this.minutes.push(emptyMinute())
    return this.minutes[index]
  }

  /** @param {import('./soak-load.mjs').Outcome} outcome */
  add({ request: { name, isWrite, message }, tookMs, status, answer }) {
    const { minute } = this
    if (status !== '200') {
      const error = `${name}: ${status}`
      minute.errors[error] = (minute.errors[error] ?? 0) + 1
      this.examples[error] ??= answer.slice(0, 200)
      if (isWrite) this.failedWrites += 1
      return
    }
    minute[isWrite ? 'writes' : 'reads'].add(tookMs)
    const ofOperation = this.operations.get(name) ?? new Latencies()
    this.operations.set(name, ofOperation)
    ofOperation.add(tookMs)
    if (message === undefined) return
    const hash = message.hash ?? JSON.parse(answer).cast.hash
    this.accepted[message.type] = (this.accepted[message.type] ?? 0) + 1
    this.streamed.answer(hash, minute.streamed)
    if (message.type === CAST_ADD) this.delivered.answer(hash, minute.delivered)
  }

  /** @param {{ delivered: [string, number][], streamed: [string, number][], doubles: number, memoryMb: number }} news */
  recordEvent({ delivered, streamed, doubles, memoryMb }) {
    const { minute } = this
    for (const [hash, atMs] of delivered) this.delivered.arrive(hash, atMs, minute.delivered)
    for (const [hash, atMs] of streamed) this.streamed.arrive(hash, atMs, minute.streamed)
    this.doubles += doubles
    this.receiverMb = memoryMb
  }
}

/**
 * Samples a server until it is stopped, and reports each minute.
 *
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {Account} account
 * @param {(minute: Minute, number: number) => void} onMinute
 */
export function watchMinutes(server, account, onMinute) {
  let reportedMinutes = 0
  let looking = Promise.resolve()
  let last = { atMs: performance.now(), times: processorTimes(server.pid) }
  const look = async () => {
    const { minute } = account
    const before = last
    last = { atMs: performance.now(), times: processorTimes(server.pid) }
    const [from, to] = await Promise.all([before.times, last.times])
    if (from !== null && to !== null) {
      minute.processors.tookMs += last.atMs - before.atMs
      for (const name of /** @type {const} */ (['allMs', 'idleMs', 'stolenMs', 'waitedMs']))
        minute.processors[name] += to[name] - from[name]
    }
    minute.samples.push(await takeSample(server))
    const rows = await query(
      server.databaseUrl,
      `select pg_database_size(current_database()) / 1048576.0 as mb,
         (select sum(n_dead_tup)::float8 from pg_stat_user_tables) as dead`,
    )
    minute.databaseMb = Number(rows[0].mb)
    minute.deadRows = rows[0].dead ?? 0
    reportMinute(account.minutes.indexOf(account.minute))
  }
  const reportMinute = (/** @type {number} */ passed) => {
    for (; reportedMinutes < passed; reportedMinutes += 1)
      onMinute(account.minutes[reportedMinutes], reportedMinutes + 1)
  }
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error) => console.error(`not seen: ${error.message}`))
  }, SAMPLE_MS)
  return async (/** @type {number} */ minutes) => {
    clearInterval(timer)
    await looking
    reportMinute(Math.min(minutes, account.minutes.length))
  }
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @returns {Promise<Sample>}
 */
async function takeSample({ url, pid, postgresPid }) {
  const [answer, serverMb, serverOwnMb, postgresMb] = await Promise.all([
    fetch(`${url}/metrics`),
    residentMb(pid),
    proportionalMb(pid),
    proportionalMbOfTree(postgresPid),
  ])
  const metrics = await answer.text()
  const values = (/** @type {string} */ name) =>
    [...metrics.matchAll(new RegExp(`^${name}(?:{.*})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value))
  return {
    serverMb,
    serverOwnMb,
    heapMb: (values('nodejs_heap_size_used_bytes')[0] ?? 0) / 2 ** 20,
    postgresMb,
    consumerBlocks: Math.max(0, ...values('plaza_consumer_lag_blocks')),
    unlogged: values('plaza_event_lag_messages')[0] ?? 0,
  }
}
