import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { query } from './database.mjs'
import { hostileRequests, worst } from './hostile-requests.mjs'
import { Latencies } from './latencies.mjs'
import { prepareNetwork } from './network-file.mjs'
import { runPlaza, startPlaza } from './plaza-process.mjs'
import { cpuTaken } from './process-usage.mjs'
import { figure, machine, printTable, record } from './report.mjs'
import { submitBodies } from './submit-bodies.mjs'

/** What the most expensive requests do to ordinary reads. See README.md for what each figure means. */

const HELP = `npm run bench:hostile -- [options]

  --seconds N     for each measurement (5)
  --callers A,B   callers of the expensive request, each number in turn (4,32)
  --only TEXT     only requests whose names contain the text
  --survey        what one request of each candidate costs, one after the other
  --one-address   all callers have the same address
  --messages N    in the log (60000)
  --concurrency N heavy reads at once (WORK_CONCURRENCY; the server's default)
  --record        appends the figures to bench/results.jsonl
`

const API_KEY = 'a-key-for-the-bench'
/** Ordinary reads a second, of both kinds in turn: enough that a p99 of five seconds is that of several reads. */
const READS_PER_SECOND = 100
/** A read that takes longer counts as this. */
const READ_LIMIT_MS = 10_000
/** What the machine does to the reads where the server has no part in it: other processes that only compute. */
const CONTROL = 'control: other processes compute'
const CONTROLS = [1, 2]
/** Streams that catch up: more than a few would be refused by the limit of streams, not of work. */
const STREAMS = 8

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    callers: { type: 'string', default: '4,32' },
    only: { type: 'string', default: '' },
    survey: { type: 'boolean', default: false },
    'one-address': { type: 'boolean', default: false },
    messages: { type: 'string', default: '60000' },
    concurrency: { type: 'string' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const abort = new AbortController()

if (values.help) console.log(HELP)
else await main()

async function main() {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => abort.abort(new Error(name)))
  const options = { messages: Number(values.messages), seed: 1, senders: 4, batch: 1000 }
  const network = await prepareNetwork(options, console.log, abort.signal)
  const server = await startPlaza({
    env: {
      CRAWL_EMBEDS: 'false',
      HUB_GRPC_PORT: '0',
      PUBLIC_READS: 'true',
      // What limits the number of requests is not what is measured.
      PUBLIC_READS_RATE_LIMIT: '0',
      // Callers name their addresses.
      TRUST_PROXY: 'true',
      PLAZA_DEV_API_KEY: API_KEY,
      LOG_LEVEL: 'silent',
      ...(values.concurrency === undefined ? {} : { WORK_CONCURRENCY: values.concurrency }),
    },
  })
  try {
    await runPlaza(['import', network.baseFile], { dataDir: server.dataDir, signal: abort.signal })
    const { merged } = await submitBodies(server.url, network.bodies, abort.signal)
    console.log(`filled with ${figure(merged)} messages`)
    const bulk = network.bodies[0]?.bytes ?? Buffer.alloc(0)
    const subjects = { ...(await readSubjects(server.databaseUrl)), apiKey: API_KEY, bulk }
    const all = hostileRequests(subjects).filter(({ name }) => name.includes(values.only))
    const callers = await startCallers()
    const isMeasured = (/** @type {string} */ name) => values.only !== '' || worst.includes(name)
    try {
      if (values.survey) await survey(server, all, callers)
      else
        await measure(
          server,
          all.filter(({ name }) => isMeasured(name)),
          subjects,
          callers,
        )
    } finally {
      callers.end()
    }
  } finally {
    await server.stop()
  }
}

/** @typedef {Awaited<ReturnType<typeof startCallers>>} Callers */

/** @param {string} databaseUrl */
async function readSubjects(databaseUrl) {
  const read = (/** @type {string} */ sql) => query(databaseUrl, sql)
  const [log] = await read('select max(id)::float8 as id from hub.events')
  const fids = await read(
    'select target_fid::float8 as fid from social.follows group by 1 order by count(*) desc, 1 limit 100',
  )
  const followers = await read(
    'select fid::float8 as fid from social.follows group by 1 order by count(*) desc, 1 limit 100',
  )
  const threads = await read(
    `select encode(thread_hash, 'hex') as hash from social.casts group by 1 order by count(*) desc, 1 limit 20`,
  )
  const liked = await read(
    `select target_fid::float8 as fid, encode(target_hash, 'hex') as hash from social.reactions
     where target_hash is not null group by 1, 2 order by count(*) desc, 2 limit 20`,
  )
  const words = await read(
    `select word from (select regexp_split_to_table(lower(text), '[^a-z]+') as word from social.casts) words
     where length(word) > 3 group by 1 order by count(*) desc limit 20`,
  )
  const casts = await read(
    `select fid::float8 as fid, encode(hash, 'hex') as hash from social.casts order by hash limit 50`,
  )
  return {
    lastEventId: log.id,
    fids: fids.map(({ fid }) => fid),
    followers: followers.map(({ fid }) => fid),
    threads: threads.map(({ hash }) => hash),
    liked,
    words: words.map(({ word }) => word),
    casts,
  }
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {readonly import('./hostile-requests.mjs').Hostile[]} all
 * @param {Callers} callers
 */
async function survey(server, all, callers) {
  /** @type {string[][]} */
  const rows = [['', 'ms', 'server ms', 'postgres ms', 'answers']]
  for (const hostile of all) {
    const { url, grpcAddress = '', pid, postgresPid } = server
    callers.start({ url, grpcAddress, hostile, callers: 1, oneAddress: false })
    const before = await cpuTaken(pid, postgresPid)
    await sleep(seconds * 1000, null, { signal: abort.signal })
    const after = await cpuTaken(pid, postgresPid)
    const statuses = await callers.stop()
    const count = Math.max(
      1,
      Object.values(statuses).reduce((sum, each) => sum + each, 0),
    )
    const perRequest = (/** @type {'server' | 'postgres'} */ of) =>
      figure((((after[of] ?? 0) - (before[of] ?? 0)) * 1000) / count)
    rows.push([
      hostile.name,
      figure((seconds * 1000) / count),
      perRequest('server'),
      perRequest('postgres'),
      show(statuses),
    ])
  }
  printTable('one caller, one request after the other', rows)
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {readonly import('./hostile-requests.mjs').Hostile[]} all
 * @param {{ casts: readonly { fid: number, hash: string }[], fids: readonly number[] }} subjects
 * @param {Callers} attackers
 */
async function measure(server, all, subjects, attackers) {
  const facts = await machine()
  console.log(`${facts.cores} cores, load ${facts.load}`)
  const reads = [
    ...subjects.fids.slice(0, 20).map((fid) => `/v2/farcaster/user/bulk?fids=${fid}`),
    ...subjects.casts.slice(0, 20).map(({ fid, hash }) => `/v1/castById?fid=${fid}&hash=0x${hash}`),
  ]
  await readFor(server.url, reads, seconds)
  /** @type {string[][]} */
  const rows = [['', 'callers', 'p50 ms', 'p99 ms', 'p50 ratio', 'p99 ratio', 'what they got']]
  /** @type {object[]} */
  const results = []
  /**
   * @param {string} name
   * @param {number} callers
   * @param {{ quiet: Latencies, loud: Latencies, statuses: Record<string, number> }} measured
   */
  function report(name, callers, { quiet, loud, statuses }) {
    const ratio = (/** @type {number} */ share) => loud.quantile(share) / quiet.quantile(share)
    const shown = [loud.quantile(0.5), loud.quantile(0.99), ratio(0.5), ratio(0.99)].map(figure)
    rows.push(['', `${callers}`, ...shown, show(statuses)])
    results.push({ name, callers, p50: ratio(0.5), p99: ratio(0.99), statuses })
    console.log(rows.at(-1)?.join('  '), name)
  }
  for (const processes of CONTROLS) {
    const quiet = await readFor(server.url, reads, seconds)
    rows.push([CONTROL, 'none', figure(quiet.quantile(0.5)), figure(quiet.quantile(0.99)), '', '', ''])
    const computing = startComputing(processes)
    try {
      const loud = await readFor(server.url, reads, seconds)
      report(CONTROL, processes, { quiet, loud, statuses: {} })
    } finally {
      for (const child of computing) child.kill('SIGKILL')
    }
  }
  for (const hostile of all) {
    const quiet = await readFor(server.url, reads, seconds)
    rows.push([hostile.name, 'none', figure(quiet.quantile(0.5)), figure(quiet.quantile(0.99)), '', '', ''])
    const isStream = hostile.kind === 'stream' || hostile.kind === 'subscribe'
    for (const callers of isStream ? [STREAMS] : values.callers.split(',').map(Number)) {
      const { url, grpcAddress = '' } = server
      attackers.start({
        url,
        grpcAddress,
        hostile,
        callers,
        oneAddress: values['one-address'],
      })
      // Not the beginning, while all come at once.
      await sleep(500, null, { signal: abort.signal })
      const loud = await readFor(server.url, reads, seconds)
      const statuses = await attackers.stop()
      report(hostile.name, callers, { quiet, loud, statuses })
    }
  }
  printTable('ordinary reads beside expensive requests', rows)
  if (values.record) await record({ bench: 'hostile', machine: facts, results })
}

/**
 * Ordinary reads at a steady rate: each counts from the moment at which it was due.
 *
 * @param {string} url
 * @param {readonly string[]} paths
 * @param {number} duration In seconds.
 */
async function readFor(url, paths, duration) {
  const agent = new Agent({ keepAlive: true })
  const latencies = new Latencies()
  const headers = { 'x-api-key': API_KEY, 'x-forwarded-for': '10.9.9.9' }
  const startMs = performance.now()
  /** @type {Promise<void>[]} */
  const pending = []
  for (let index = 0; index < duration * READS_PER_SECOND; index += 1) {
    const dueMs = startMs + (index * 1000) / READS_PER_SECOND
    await sleep(Math.max(0, dueMs - performance.now()), null, { signal: abort.signal })
    const path = paths[(index * 21) % paths.length] ?? '/'
    const read = readOnce(`${url}${path}`, { agent, headers }).then((isRead) => {
      latencies.add(isRead ? performance.now() - dueMs : READ_LIMIT_MS)
    })
    pending.push(read)
  }
  await Promise.all(pending)
  agent.destroy()
  return latencies
}

/**
 * @param {string} url
 * @param {import('node:http').RequestOptions} options
 * @returns {Promise<boolean>} whether it was answered
 */
function readOnce(url, options) {
  return new Promise((resolve) => {
    const asked = get(url, { ...options, timeout: READ_LIMIT_MS }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode === 200))
      response.once('error', () => resolve(false))
    })
    asked.once('timeout', () => asked.destroy())
    asked.once('error', () => resolve(false))
  })
}

/** Starts the process of the callers, once: it takes longer than a short measurement. */
async function startCallers() {
  const child = fork(new URL('./hostile-callers.mjs', import.meta.url).pathname, {
    env: { PATH: process.env.PATH },
  })
  await once(child, 'message')
  // Callers have machines of their own; what they compute here must not hold up the reads that are measured.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  return {
    /** @param {import('./hostile-callers.mjs').Attack} attack */
    start: (attack) => void child.send(attack),
    /** @returns {Promise<Record<string, number>>} */
    async stop() {
      child.send('stop')
      const [statuses] = await once(child, 'message')
      return statuses
    },
    end: () => child.disconnect(),
  }
}

/** @param {number} count */
function startComputing(count) {
  return Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
}

/** @param {Record<string, number>} statuses */
function show(statuses) {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}
