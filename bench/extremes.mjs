import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from '../dist/platform/db/connection.js'
import { startEmbedded } from '../dist/platform/db/embedded.js'
import { migrate } from '../dist/platform/db/migrate.js'
import { silentLog } from '../dist/platform/log/log.js'
import { createExtremes, fillExtremes } from './extremes-network.mjs'
import { quantile } from './quantiles.mjs'
import { figure, machine, printTable, record } from './report.mjs'

/**
 * Reads at the extremes of a network: a city of 120,000, an author of 90,000 casts, words in hundredths of all casts, a
 * month of 2,000 channels. What the database takes for each: latency, CPU time of its process (Linux only) and buffers.
 * With `--beside DIR`, another built checkout reads the same data, in turns.
 */

const { values } = parseArgs({
  options: {
    casts: { type: 'string', default: '400000' },
    rounds: { type: 'string', default: '3' },
    times: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    beside: { type: 'string' },
    database: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const times = Number(values.times)
const here = new URL('..', import.meta.url).pathname
const checkouts = [
  ...(values.beside === undefined ? [] : [{ name: 'beside', directory: resolve(values.beside) }]),
  { name: 'this', directory: resolve(here) },
]

if (values.database === undefined) await withDatabase(measure)
else await measure(values.database)

/** @param {(url: string) => Promise<void>} use */
async function withDatabase(use) {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaza-bench-extremes-'))
  await chmod(dataDir, 0o711)
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    max_wal_size: '4GB',
    maintenance_work_mem: '512MB',
  }
  const database = await startEmbedded({
    dataDir,
    command: 'bench',
    log: silentLog,
    settings,
    detached: false,
  })
  try {
    await migrate(database.url, silentLog)
    await use(database.url)
  } finally {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** @param {string} url */
async function measure(url) {
  const db = connect(url, { poolSize: 1, applicationName: 'plaza bench', statementTimeoutMs: 0 })
  try {
    await fillExtremes(db, Number(values.casts))
    const sides = []
    for (const { name, directory } of checkouts) {
      sides.push({ name, extremes: await createExtremes(db, directory) })
    }
    const rows = []
    for (const what of Object.keys(sides[0]?.extremes ?? {}).filter((each) => each.includes(values.only))) {
      const runs = sides.map(({ name, extremes }) => ({
        name,
        run: extremes[what],
        samples: [],
        cpu: [],
        buffers: 0,
      }))
      for (let round = 0; round < rounds; round += 1) for (const side of runs) await sample(db, side)
      for (const side of runs) rows.push(summary(what, side))
    }
    printTable(`Extremes of ${figure(Number(values.casts))} casts, ms`, [
      ['what', 'checkout', 'p50', 'p99', 'CPU', 'buffers'],
      ...rows.map(({ what, name, p50, p99, cpu, buffers }) => [
        what,
        name,
        ...[p50, p99, cpu, buffers].map(figure),
      ]),
    ])
    if (values.record) await record({ bench: 'extremes', machine: await machine(), rows })
  } finally {
    await db.end()
  }
}

/**
 * @param {import('../dist/platform/db/connection.js').Database} db
 * @param {{ run: () => Promise<unknown>, samples: number[], cpu: number[], buffers: number }} side
 */
async function sample(db, side) {
  const [backend] = await db`select pg_backend_pid() as pid`
  await side.run()
  const startBuffers = await buffersOf(db)
  const startCpuMs = await cpuMs(backend?.pid)
  for (let time = 0; time < times; time += 1) {
    const startMs = performance.now()
    await side.run()
    side.samples.push(performance.now() - startMs)
  }
  side.cpu.push(((await cpuMs(backend?.pid)) - startCpuMs) / times)
  side.buffers = ((await buffersOf(db)) - startBuffers) / times
}

/** CPU time of a PostgreSQL process in milliseconds; not a number where there is no /proc. @param {number} pid */
async function cpuMs(pid) {
  const stat = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '')
  return Number(stat.split(' ')[0] || Number.NaN) / 1e6
}

/** Blocks of tables and indexes that this session has read. @param {import('../dist/platform/db/connection.js').Database} db */
async function buffersOf(db) {
  await db`select pg_stat_force_next_flush()`
  const [row] = await db`
    select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)) as blocks
    from pg_statio_user_tables`
  return Number(row?.blocks)
}

/** @param {string} what @param {{ name: string, samples: number[], cpu: number[], buffers: number }} side */
function summary(what, { name, samples, cpu, buffers }) {
  const at = (/** @type {number} */ share) => quantile(samples, share) ?? 0
  return { what, name, p50: at(0.5), p99: at(0.99), cpu: Math.min(...cpu), buffers }
}
