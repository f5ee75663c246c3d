import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { query } from './database.mjs'
import { measureLag } from './follow-lag.mjs'
import { prepareNetwork } from './network-file.mjs'
import { openPlaza, runPlaza, startPlaza } from './plaza-process.mjs'
import { figure, machine, printTable, record } from './report.mjs'
import { createDatabase, dropDatabase, PARALLEL } from './shuttle.mjs'
import { submitBodies } from './submit-bodies.mjs'

/**
 * How fast a server takes over what another one has, and how far it is behind afterwards, beside the popular
 * replicator doing the same work. See README.md for what each figure means.
 */

const HELP = `npm run bench:follow -- [options]

  --messages N   messages that the upstream has (1000000)
  --seed N       of the demo network (1)
  --concurrency N   users read at the same time (8)
  --peer N       messages that the peer fetches (10000); 0 leaves the peer out
  --rate N       messages a second while the lag is measured (300)
  --seconds N    for how long (20); 0 leaves it out
  --minutes N    after that the run is given up (60)
  --record       appends the figures to bench/results.jsonl
`

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '8' },
    peer: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '60' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** What the house asks of itself: see the table that is printed. */
const TARGETS = { verified: 3_000, trusted: 6_000, lagMs: 1_000 }
const PEER = new URL('./follow-peer.mjs', import.meta.url).pathname
/** More than it gets through. */
const PEER_USERS = 5_000
const SENDERS = 4
const BATCH = 1_000
/** What a server needs that only serves and follows. */
const QUIET = { CRAWL_EMBEDS: 'false', SCORE_INTERVAL_HOURS: '0', HUB_RATE_LIMIT: '0' }

const abort = new AbortController()

if (values.help) console.log(HELP)
else await main()

async function main() {
  const timer = setTimeout(
    () => abort.abort(new Error(`not done after ${values.minutes} minutes`)),
    Number(values.minutes) * 60_000,
  )
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => abort.abort(new Error(name)))
  try {
    await bench()
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  } finally {
    clearTimeout(timer)
  }
}

async function bench() {
  const options = {
    messages: Number(values.messages),
    seed: Number(values.seed),
    senders: SENDERS,
    batch: BATCH,
  }
  const network = await prepareNetwork(options, console.log, abort.signal)
  const upstream = await startPlaza({ env: { ...QUIET, HUB_GRPC_PORT: '0' } })
  try {
    const facts = await machine()
    printTable(
      'setting',
      Object.entries(facts).map(([name, value]) => [name, String(value)]),
    )
    await runPlaza(['import', network.baseFile], { dataDir: upstream.dataDir, signal: abort.signal })
    const { bodies, lagBodies } = splitForLag(network.bodies)
    await submitBodies(upstream.url, bodies, abort.signal)
    const messageCount = await countMessages(upstream.databaseUrl)
    console.log(`\nthe upstream holds ${figure(messageCount)} messages`)

    const peer = Number(values.peer) > 0 ? await measurePeer(upstream) : null
    const verified = await measureBackfill(upstream, { trusted: false, messageCount })
    const trusted = await measureBackfill(upstream, { trusted: true, messageCount, keep: true })
    const lag = Number(values.seconds) > 0 ? await lagBehind(upstream, trusted.dataDir, lagBodies) : null
    await rm(trusted.dataDir, { recursive: true, force: true })
    print({ peer, verified, trusted, lag })
    if (values.record) {
      await record({ bench: 'follow', machine: facts, options, peer, verified, trusted, lag })
    }
  } finally {
    await upstream.stop()
  }
}

/**
 * Sets the last requests of each sender aside, to measure the lag.
 *
 * @param {readonly import('./network-file.mjs').Body[]} all
 */
function splitForLag(all) {
  const wanted = Math.ceil((Number(values.rate) * Number(values.seconds) * 1.2) / BATCH / SENDERS)
  const lagBodies = [...new Set(all.map(({ sender }) => sender))].flatMap((sender) =>
    wanted === 0 ? [] : all.filter((body) => body.sender === sender).slice(-wanted),
  )
  return { lagBodies, bodies: all.filter((body) => !lagBodies.includes(body)) }
}

/**
 * Of the sets that the protocol's service lists: name proofs and keys, sets 6 and 8, come as events alone.
 *
 * @param {string} url
 */
async function countMessages(url) {
  const [row] = await query(url, 'select count(*)::int as count from hub.messages where set not in (6, 8)')
  return /** @type {number} */ (row.count)
}

/**
 * `plaza backfill` as a user runs it, on a new data directory: with its start, its PostgreSQL and its end.
 *
 * @param {import('./plaza-process.mjs').PlazaServer} upstream
 * @param {{ trusted: boolean, messageCount: number, keep?: boolean }} options
 */
async function measureBackfill(upstream, { trusted, messageCount, keep = false }) {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaza-bench-'))
  await chmod(dataDir, 0o711)
  await runPlaza(['migrate'], { dataDir, signal: abort.signal })
  const startMs = performance.now()
  const output = await runPlaza(['backfill', '--concurrency', values.concurrency], {
    dataDir,
    signal: abort.signal,
    env: { UPSTREAM_HUB: upstream.grpcAddress ?? '', UPSTREAM_TRUSTED: String(trusted) },
  })
  const seconds = (performance.now() - startMs) / 1000
  const server = await openPlaza(dataDir, QUIET)
  const [count, [size]] = await Promise.all([
    countMessages(server.databaseUrl),
    query(server.databaseUrl, 'select pg_database_size(current_database())::float8 as bytes'),
  ])
  await server.end()
  if (count !== messageCount)
    throw new Error(`the upstream has ${messageCount} messages, ${count} came:\n${output}`)
  if (!keep) await rm(dataDir, { recursive: true, force: true })
  return { dataDir, seconds, perSecond: count / seconds, bytesPerMessage: size.bytes / count }
}

/** @param {import('./plaza-process.mjs').PlazaServer} upstream */
async function measurePeer(upstream) {
  const url = await createDatabase(upstream.databaseUrl)
  try {
    const users = await query(
      upstream.databaseUrl,
      `select fid from hub.fids order by fid limit ${PEER_USERS}`,
    )
    const fids = users.map(({ fid }) => fid).join(',')
    const args = [PEER, url, upstream.grpcAddress ?? '', values.peer, String(PARALLEL), fids]
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
      signal: abort.signal,
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
    const { messages, seconds, failures } = JSON.parse(output.trim().split('\n').at(-1) ?? '')
    return { messages, perSecond: messages / seconds, failures }
  } finally {
    await dropDatabase(upstream.databaseUrl, url)
  }
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} upstream
 * @param {string} dataDir
 * @param {readonly import('./network-file.mjs').Body[]} bodies
 */
async function lagBehind(upstream, dataDir, bodies) {
  const follower = await openPlaza(dataDir, { ...QUIET, UPSTREAM_HUB: upstream.grpcAddress ?? '' })
  try {
    // A server that has just been filled tells its inboxes and webhooks first.
    while ((await consumerLag(follower.url)) > 0 || (await consumerLag(upstream.url)) > 0) await sleep(500)
    const load = { rate: Number(values.rate), seconds: Number(values.seconds) }
    return await measureLag(upstream.url, follower.url, bodies, load)
  } finally {
    await follower.end()
  }
}

/**
 * Blocks of the log that consumers have before them.
 *
 * @param {string} url
 */
async function consumerLag(url) {
  const metrics = await (await fetch(`${url}/metrics`, { signal: abort.signal })).text()
  const lags = [...metrics.matchAll(/^plaza_consumer_lag_blocks\{[^}]*\} (\d+)$/gm)]
  return lags.reduce((sum, [, blocks]) => sum + Number(blocks), 0)
}

/** @param {any} results */
function print({ peer, verified, trusted, lag }) {
  const ratio = (/** @type {number} */ perSecond) => (peer ? `${figure(perSecond / peer.perSecond)} x` : '')
  const row = (/** @type {string} */ name, /** @type {any} */ run, /** @type {number} */ target) => [
    name,
    `${figure(run.perSecond)}/s`,
    ratio(run.perSecond),
    `target ${figure(target)}/s, ${figure(run.seconds)} s, ${figure(run.bytesPerMessage)} bytes on disk a message`,
  ]
  printTable('backfill', [
    row('verified', verified, TARGETS.verified),
    row('trusted', trusted, TARGETS.trusted),
    ...(peer ? [['shuttle', `${figure(peer.perSecond)}/s`, '', `${figure(peer.messages)} messages`]] : []),
  ])
  if (lag === null) return
  printTable('lag', [
    ['messages', figure(lag.messages), `${figure(lag.perSecond)}/s`],
    ['p50', `${figure(lag.p50Ms)} ms`, ''],
    ['p99', `${figure(lag.p99Ms)} ms`, `target below ${TARGETS.lagMs} ms`],
    ['upstream answers, p50', `${figure(lag.answerP50Ms)} ms`, ''],
    ['upstream answers, p99', `${figure(lag.answerP99Ms)} ms`, ''],
  ])
}
