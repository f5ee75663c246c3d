import { Latencies } from './latencies.mjs'
import { figure, printTable } from './report.mjs'

/** How a soak tells what it saw. */

const MAX_WINDOW = 10

/** @param {import('./soak-minutes.mjs').Minute} minute @param {number} number */
export function printMinute(minute, number) {
  const { requests, errors, reads, writes, delivered, server, heap, postgres, database } = sumUp([minute])
  const { tookMs, allMs, idleMs, stolenMs, waitedMs } = minute.processors
  const share = (/** @type {number} */ part, /** @type {number} */ whole) =>
    `${Math.round((100 * part) / (whole || 1))} %`
  console.log(
    `minute ${number}: ${figure(requests / 60)} requests/s, ${errors} errors, ` +
      `reads ${pair(reads)}, writes ${pair(writes)}, webhook ${pair(delivered)} ms, ` +
      `server ${figure(server)} MB (heap ${figure(heap)}), PostgreSQL ${figure(postgres)} MB, database ${figure(database)} MB; ` +
      `processors idle ${share(idleMs, allMs)}, stolen ${share(stolenMs, allMs)}, the server waited for one ${share(waitedMs, tookMs)}`,
  )
}

/**
 * The first, the middle and the last ten minutes, or a third each of a run that is shorter.
 *
 * @param {readonly import('./soak-minutes.mjs').Minute[]} minutes
 */
export function windowsOf(minutes) {
  const size = Math.max(1, Math.min(MAX_WINDOW, Math.floor(minutes.length / 3)))
  const middle = Math.floor((minutes.length - size) / 2)
  return {
    size,
    first: sumUp(minutes.slice(0, size)),
    middle: sumUp(minutes.slice(middle, middle + size)),
    last: sumUp(minutes.slice(-size)),
  }
}

/** @param {ReturnType<typeof windowsOf>} windows */
export function printWindows({ size, first, middle, last }) {
  const row = (/** @type {string} */ name, /** @type {(of: ReturnType<typeof sumUp>) => number} */ read) => {
    const growth = read(first) === 0 ? '' : `${figure(read(last) / read(first))} x`
    return [name, figure(read(first)), figure(read(middle)), figure(read(last)), growth]
  }
  const both = (
    /** @type {string} */ name,
    /** @type {'reads' | 'writes' | 'delivered' | 'streamed'} */ of,
  ) => [
    row(`${name}, p50 ms`, (all) => all[of].quantile(0.5)),
    row(`${name}, p99 ms`, (all) => all[of].quantile(0.99)),
  ]
  const title = size === 1 ? 'a minute each' : `${size} minutes each`
  printTable(title, [
    ['', 'first', 'middle', 'last', 'last / first'],
    row('requests a second', ({ requests, minutes }) => requests / minutes / 60),
    row('errors', ({ errors }) => errors),
    ...both('reads', 'reads'),
    ...both('writes', 'writes'),
    ...both('from an answer to the webhook', 'delivered'),
    ...both('from an answer to a reader of the log', 'streamed'),
    row('blocks a consumer was behind, most', ({ consumerBlocks }) => consumerBlocks),
    row('messages not logged yet, most', ({ unlogged }) => unlogged),
    row('server, resident MB', ({ server }) => server),
    row('server, shared counted in part, MB', ({ serverOwn }) => serverOwn),
    row("server, V8's heap, MB", ({ heap }) => heap),
    row('PostgreSQL, all processes, MB', ({ postgres }) => postgres),
    row('database, MB', ({ database }) => database),
    row('dead rows', ({ deadRows }) => deadRows),
  ])
}

/** @param {ReadonlyMap<string, Latencies>} operations */
export function printOperations(operations) {
  printTable('by operation, the whole run', [
    ['', 'requests', 'p50 ms', 'p99 ms', 'most ms'],
    ...[...operations]
      .sort(([, a], [, b]) => b.count - a.count)
      .map(([name, took]) => [
        name,
        figure(took.count),
        ...[0.5, 0.99, 1].map((at) => figure(took.quantile(at))),
      ]),
  ])
}

/** @param {readonly import('./soak-minutes.mjs').Minute[]} minutes */
function sumUp(minutes) {
  const samples = minutes.flatMap((minute) => minute.samples)
  const mean = (/** @type {keyof import('./soak-minutes.mjs').Sample} */ of) =>
    samples.reduce((sum, sample) => sum + sample[of], 0) / Math.max(1, samples.length)
  const most = (/** @type {keyof import('./soak-minutes.mjs').Sample} */ of) =>
    Math.max(0, ...samples.map((sample) => sample[of]))
  const [reads, writes, delivered, streamed] = /** @type {const} */ ([
    'reads',
    'writes',
    'delivered',
    'streamed',
  ]).map((of) => Latencies.merge(minutes.map((minute) => minute[of])))
  const counts = minutes.flatMap((minute) => Object.values(minute.errors))
  return {
    minutes: minutes.length,
    requests: reads.count + writes.count,
    errors: counts.reduce((sum, count) => sum + count, 0),
    reads,
    writes,
    delivered,
    streamed,
    consumerBlocks: most('consumerBlocks'),
    unlogged: most('unlogged'),
    server: mean('serverMb'),
    serverOwn: mean('serverOwnMb'),
    heap: mean('heapMb'),
    postgres: mean('postgresMb'),
    database: minutes.at(-1)?.databaseMb ?? 0,
    deadRows: minutes.at(-1)?.deadRows ?? 0,
  }
}

/** @param {Latencies} took */
function pair(took) {
  return `${figure(took.quantile(0.5))}/${figure(took.quantile(0.99))}`
}
