import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { clusterCpu, startClusterServers } from './cluster-servers.mjs'
import { startLoadProcess } from './load-process.mjs'
import { quantiles } from './read-figures.mjs'
import { titles } from './read-operations.mjs'
import { cell } from './read-report.mjs'
import { machine, printTable, record } from './report.mjs'
import { measureVisibility } from './visibility.mjs'

/**
 * Reads on a PostgreSQL with replicas by one and more API processes, and what a fail-over does to reads and writes. See
 * README.md for what each figure means.
 */

const HELP = `npm run bench:cluster -- [options]

  --operations A,B   some of ${Object.keys(titles).join(', ')}
  --processes A,B    API processes, each in turn (1,2,3)
  --seconds N        for each operation and number of processes (5)
  --connections N    of all processes together, each with one request on its way (16)
  --scale N          of 10,000 users and 500,000 casts (0.1)
  --faults A,B       some of switchover, kill-postmaster, kill-node; or none (all)
  --record           appends the figures to bench/results.jsonl
`

/** Before and after a fault. A lease of 20 s has to end within it. */
const FAULT_SECONDS = 45
const WRITES_PER_SECOND = 20
/** While it is measured how soon writes are visible elsewhere. */
const VISIBILITY_WRITES = 100

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: 'following,author,users,conversation,notifications' },
    processes: { type: 'string', default: '1,2,3' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    scale: { type: 'string', default: '0.1' },
    faults: { type: 'string', default: 'switchover,kill-postmaster,kill-node' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const connections = Number(values.connections)
const operations = values.operations.split(',')
const processes = values.processes.split(',').map(Number)
const faults = values.faults === 'none' ? [] : values.faults.split(',')
const unknown = operations.filter((name) => !(name in titles))

if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `unknown operations: ${unknown.join(', ')}\n\n${HELP}` : HELP)
  process.exitCode = unknown.length > 0 ? 1 : 0
} else await main()

async function main() {
  const servers = await startClusterServers({ apis: Math.max(...processes), scale: Number(values.scale) })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(name, () => servers.stop().finally(() => process.exit(1)))
  const readers = servers.apis.map(() => startLoadProcess('./read-requests.mjs'))
  const writer = startLoadProcess('./read-writes.mjs')
  const load = { servers, readers, writer }
  try {
    await writer.send({ network: servers.network }, { last: 'isReady' })
    const reads = await measureReads(load)
    const visibility = servers.apis.length > 1 ? await measureWritesElsewhere(load) : null
    const outages = {}
    for (const fault of faults) outages[fault] = await measureFault(load, fault)
    if (faults.length > 0) printFaults(outages)
    if (values.record) {
      const { sizes } = servers.network
      await record({
        bench: 'cluster',
        machine: await machine(),
        sizes,
        options: values,
        reads,
        visibility,
        outages,
      })
    }
  } finally {
    for (const each of [...readers, writer]) each.stop()
    await servers.stop()
  }
}

/**
 * @typedef {object} ClusterLoad
 * @property {import('./cluster-servers.mjs').ClusterServers} servers
 * @property {ReturnType<typeof startLoadProcess>[]} readers One for each API process.
 * @property {ReturnType<typeof startLoadProcess>} writer
 */

/**
 * Reads an operation through the first of the API processes, from one load process each.
 *
 * @param {ClusterLoad} load
 * @param {{ operation: string, count: number, seconds: number, seed: number, onStart?: () => void }} options
 */
async function read({ servers, readers }, { operation, count, seconds, seed, onStart = () => {} }) {
  const apis = servers.apis.slice(0, count)
  let waiting = count
  /** @type {ReturnType<typeof clusterCpu> | undefined} */
  let before
  const onCounting = () => {
    waiting -= 1
    if (waiting > 0) return
    before = clusterCpu(servers, apis)
    onStart()
  }
  const outcomes = await Promise.all(
    apis.map(({ url }, index) => {
      const how = { warmSeconds: Math.max(1, seconds / 4), isNarrow: false, samples: 0 }
      const share = Math.max(1, Math.round(connections / count))
      const what = { url, operation, network: servers.network, connections: share, seconds }
      return readers[index].send(
        { ...what, ...how, seed: seed + index },
        { last: 'outcome', onOther: onCounting },
      )
    }),
  )
  const after = await clusterCpu(servers, apis)
  return { outcomes, before: await before, after }
}

/** @param {ClusterLoad} load */
async function measureReads(load) {
  const results = {}
  const rows = []
  for (const operation of operations) {
    // Each process has compiled its code and filled its caches before any figure.
    await read(load, { operation, count: load.servers.apis.length, seconds: 2, seed: 1 })
    results[operation] = {}
    for (const count of processes) {
      const { outcomes, before, after } = await read(load, { operation, count, seconds, seed: 100 })
      const requests = outcomes.reduce((sum, { requests }) => sum + requests, 0)
      const perSecond = outcomes.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0)
      const cpuMs = (/** @type {'apis' | 'primary' | 'replicas'} */ of) =>
        before?.[of] == null || after[of] === null ? null : ((after[of] - before[of]) * 1000) / requests
      const { p50Ms, p99Ms } = quantiles(outcomes.map(({ tookMs }) => tookMs))
      const cpu = { apiMs: cpuMs('apis'), primaryMs: cpuMs('primary'), replicasMs: cpuMs('replicas') }
      results[operation][count] = { perSecond, p50Ms, p99Ms, ...cpu, errors: addUp(outcomes) }
      const figures = [perSecond, p50Ms, p99Ms, cpu.apiMs, cpu.primaryMs, cpu.replicasMs]
      rows.push([titles[operation], String(count), ...figures.map(cell)])
    }
  }
  printTable(`reads by API processes, ${connections} connections, CPU ms a request`, [
    ['operation', 'processes', 'reads/s', 'p50 ms', 'p99 ms', 'API ms', 'primary ms', 'replicas ms'],
    ...rows,
  ])
  return results
}

/**
 * How soon a write through the first process is read through the second, beside other writes.
 *
 * @param {ClusterLoad} load
 */
async function measureWritesElsewhere({ servers, writer }) {
  const [first, second] = servers.apis
  const writes = { url: first.url, perSecond: VISIBILITY_WRITES, seconds: seconds * 2, countAfterSeconds: 0 }
  const writing = writer.send(writes, { last: 'outcome' })
  const found = await measureVisibility({ writeUrl: first.url, readUrl: second.url, seconds: seconds * 2 })
  const { tookMs } = await writing
  const writeP50Ms = quantiles([tookMs]).p50Ms
  const { probes, stale, p50Ms, p99Ms, maxMs } = found
  printTable(`writes through one process, read through another, ${VISIBILITY_WRITES} other writes a second`, [
    ['probes', 'first read stale', 'visible p50 ms', 'p99 ms', 'longest ms', 'write p50 ms'],
    [probes, stale, p50Ms, p99Ms, maxMs, writeP50Ms].map(cell),
  ])
  return { ...found, writeP50Ms }
}

/**
 * Reads and writes while the primary goes: through all API processes, the fault 5 s after the start.
 *
 * @param {ClusterLoad} load
 * @param {string} fault
 */
async function measureFault(load, fault) {
  const { servers, writer } = load
  await servers.cluster.untilHealthy()
  const count = servers.apis.length
  const started = { reads: () => {} }
  const counting = new Promise((resolve) => {
    started.reads = () => resolve(undefined)
  })
  const reading = read(load, {
    ...{ operation: operations[0], count, seconds: FAULT_SECONDS, seed: 500 },
    onStart: () => started.reads(),
  })
  await counting
  const writes = {
    url: servers.apis[0].url,
    perSecond: WRITES_PER_SECOND,
    seconds: FAULT_SECONDS,
    countAfterSeconds: 0,
  }
  const writing = writer.send(writes, { last: 'outcome' })
  await sleep(5_000)
  const repair = await inject(servers.cluster, fault)
  const [{ outcomes }, written] = await Promise.all([reading, writing])
  await repair()
  await servers.cluster.untilHealthy()
  const reads = outcomes.map(({ tookMs }) => tookMs)
  return {
    reads: { ...quantiles(reads), maxMs: maxOf(reads), errors: addUp(outcomes) },
    writes: {
      ...quantiles([written.tookMs]),
      maxMs: maxOf([written.tookMs]),
      errors: addUp([{ errors: written.refused }]),
    },
  }
}

/**
 * @param {import('../deploy/cluster/cluster.mjs').Cluster} cluster
 * @param {string} fault
 * @returns {Promise<() => Promise<void>>} ends it.
 */
async function inject(cluster, fault) {
  const none = async () => {}
  if (fault === 'switchover') await cluster.switchover()
  else if (fault === 'kill-postmaster') await cluster.killPostmaster()
  else if (fault === 'kill-node') {
    const leader = (await cluster.leader()) ?? 1
    await cluster.killNode(leader)
    return async () => cluster.startNode(leader)
  } else throw new Error(`unknown fault: ${fault}`)
  return none
}

/** @param {Record<string, Awaited<ReturnType<typeof measureFault>>>} outages */
function printFaults(outages) {
  const rows = Object.entries(outages).flatMap(([fault, found]) =>
    /** @type {const} */ (['reads', 'writes']).map((kind) => {
      const { count, p50Ms, p99Ms, maxMs, errors } = found[kind]
      const failed = Object.values(errors).reduce((sum, each) => sum + each, 0)
      return [fault, kind, ...[count, p50Ms, p99Ms, maxMs].map(cell), String(failed)]
    }),
  )
  printTable(
    `${FAULT_SECONDS} s with a fault, ${connections} connections, ${WRITES_PER_SECOND} writes a second`,
    [['fault', 'load', 'answers', 'p50 ms', 'p99 ms', 'longest ms', 'failed'], ...rows],
  )
  for (const [fault, { reads, writes }] of Object.entries(outages))
    for (const [error, count] of [...Object.entries(reads.errors), ...Object.entries(writes.errors)])
      console.log(`  ${fault}: ${count} x ${error}`)
}

/** @param {readonly ArrayLike<number>[]} parts */
function maxOf(parts) {
  return parts.flatMap((part) => Array.from(part)).reduce((most, each) => Math.max(most, each), 0)
}

/** Errors by status. @param {readonly { errors: Record<string, number> }[]} outcomes */
function addUp(outcomes) {
  const sums = /** @type {Record<string, number>} */ ({})
  for (const [error, count] of outcomes.flatMap(({ errors }) => Object.entries(errors))) {
    const [status] = error.split(' ')
    sums[status] = (sums[status] ?? 0) + count
  }
  return sums
}
