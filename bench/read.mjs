import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import pg from 'pg'
import { openPlaza, restartPlaza, startPlaza } from './plaza-process.mjs'
import { watchUsage } from './process-usage.mjs'
import { fillReadModel, lastTs } from './read-network.mjs'
import { printPlans } from './read-plans.mjs'
import { figure, machine, printTable, record } from './report.mjs'

/**
 * Reading operations of the main API on a large network, beside a bare Fastify route that sends the same bytes from
 * memory. Server, PostgreSQL and load share the machine. The server runs twice on the same data: with its cache, and
 * without (`VIEW_CACHE_ENTRIES=0`). What the processor was busy for a request tells more than
 * requests a second where others use the machine.
 */

const BARE_ROUTE = new URL('./bare-route.mjs', import.meta.url).pathname
const KEY = 'plaza_bench_read_key'

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    'data-dir': { type: 'string' },
    plans: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const scale = Number(values.scale)
const seconds = Number(values.seconds)
const connections = Number(values.connections)

const env = { PLAZA_DEV_API_KEY: KEY, VIEW_CACHE_ENTRIES: '200000', CRAWL_EMBEDS: 'false' }
const keptDataDir = values['data-dir']
let server = keptDataDir === undefined ? await startPlaza({ env }) : await openPlaza(keptDataDir, env)
try {
  const started = Date.now()
  const sizes = await onDatabase((db) => fillReadModel(db, scale))
  console.log(`filled in ${Math.round((Date.now() - started) / 1000)} s: ${JSON.stringify(sizes)}`)
  if (values.plans) await printPlans(server.databaseUrl)
  else await measure(sizes)
} finally {
  await (keptDataDir === undefined ? server.stop() : server.end())
}

/** @param {{ users: number, casts: number, reactions: number, follows: number }} sizes */
async function measure(sizes) {
  const operations = await onDatabase((db) => operationsOn(db, sizes))
  const warm = await measureAll(operations)
  server = await restartPlaza(server, { ...env, VIEW_CACHE_ENTRIES: '0' })
  const cold = await measureAll(operations)
  print(operations, warm, cold)
  if (values.record) await record({ bench: 'read', machine: await machine(), sizes, connections, warm, cold })
}

/**
 * @template T
 * @param {(db: import('pg').Client) => Promise<T>} work
 */
async function onDatabase(work) {
  const db = new pg.Client({ connectionString: server.databaseUrl })
  await db.connect()
  return await work(db).finally(() => db.end())
}

/**
 * What is asked: a list of paths each, so that not always the same page is read.
 *
 * @param {import('pg').Client} client
 * @param {{ users: number }} sizes
 */
async function operationsOn(client, { users }) {
  const thread = (
    await client.query(
      `select encode(parent_hash, 'hex') as hash from social.casts where parent_hash is not null
       group by 1 order by count(*) desc limit 1`,
    )
  ).rows[0].hash
  const names = (await client.query('select username from social.users order by fid limit 50')).rows
  const many = Array.from({ length: 20 }, (_, n) => n)
  const fids = (/** @type {number} */ n) =>
    Array.from({ length: 100 }, (_, i) => 1 + ((n * 997 + i * 13) % users))
  // Only the first page is cached.
  const { next } = JSON.parse(`${await read('/v2/farcaster/feed/following?fid=1&viewer_fid=1&limit=25')}`)
  // The network stopped casting at its last moment, so ranked feeds are asked for that moment, by a cursor.
  const ranked = (/** @type {string} */ feed) =>
    Buffer.from(JSON.stringify([feed, lastTs, 1e9, 'ff'])).toString('base64url')
  return {
    'channel feed, 25, viewer': many.map(
      (n) => `feed?feed_type=filter&filter_type=channel_id&channel_id=c${n}&viewer_fid=${n + 5}&limit=25`,
    ),
    'following feed, follows 2,000': ['feed/following?fid=1&viewer_fid=1&limit=25'],
    'the same, second page': [`feed/following?fid=1&viewer_fid=1&limit=25&cursor=${next.cursor}`],
    'following feed, follows 30': ['feed/following?fid=2&viewer_fid=2&limit=25'],
    'following feed, 20 users': many.map((n) => `feed/following?fid=${n + 50}&viewer_fid=${n + 50}&limit=25`),
    'trending of a day': [`feed/trending?limit=10&cursor=${ranked('feed/trending')}`],
    'feed for a user, 20 users': many.map(
      (n) => `feed/for_you?fid=${n + 50}&viewer_fid=${n + 50}&limit=25&cursor=${ranked('feed/for_you')}`,
    ),
    "an author's casts": many.map((n) => `feed/user/casts?fid=${n + 3}&limit=25`),
    'user search per keystroke': names.flatMap(({ username }) =>
      [1, 2, 3, 5].map((length) => `user/search?q=${username.slice(0, length)}&limit=5`),
    ),
    'bulk users, 100, viewer': many.map((n) => `user/bulk?fids=${fids(n).join(',')}&viewer_fid=1`),
    'reactions of a user': many.map((n) => `reactions/user?fid=${n + 3}&type=likes&limit=25`),
    'conversation of 200 replies': [
      `cast/conversation?identifier=0x${thread}&type=hash&reply_depth=2&limit=50`,
    ],
    'recent casts of version 1': ['/v1/farcaster/recent-casts?limit=25&viewerFid=5'],
    'thread of version 1': [`/v1/farcaster/all-casts-in-thread?threadHash=0x${thread}`],
    'user of version 1, 20 users': many.map((n) => `/v1/farcaster/user?fid=${n + 50}`),
    'summary of a conversation': [`cast/conversation/summary?identifier=0x${thread}&limit=50`],
    'mini app search per keystroke': ['g', 'ga', 'gard', 'number 7'].map(
      (q) => `frame/search?q=${encodeURIComponent(q)}&limit=20`,
    ),
    'cast search': ['gardens', 'boats', '"about gardens"', 'number 77'].map(
      (q) => `cast/search?q=${encodeURIComponent(q)}&limit=25`,
    ),
  }
}

/** @param {Record<string, string[]>} operations */
async function measureAll(operations) {
  /** @type {Record<string, { perSecond: number, p50Ms: number, p99Ms: number, serverMs: number | null, postgresMs: number | null, statements: number, bytes: number, bare: number }>} */
  const results = {}
  for (const [name, paths] of Object.entries(operations)) {
    const urls = paths.map((path) => (path.startsWith('/') ? path : `/v2/farcaster/${path}`))
    const bodies = await Promise.all(urls.map(read))
    await load(server.url, urls, 1)
    const before = await statementCount()
    const usage = watchUsage(server.pid, server.postgresPid)
    const run = await load(server.url, urls, seconds)
    await usage.stop()
    const busy = usage.between(0, Number.POSITIVE_INFINITY)
    const msOf = (/** @type {number | null | undefined} */ cores) =>
      cores == null ? null : (cores * run.duration * 1000) / run.requests.total
    const statements = ((await statementCount()) - before) / run.requests.total
    const bare = await bareRoute(bodies)
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length
    results[name] = {
      perSecond: run.requests.average,
      p50Ms: run.latency.p50,
      p99Ms: run.latency.p99,
      serverMs: msOf(busy?.serverCores),
      postgresMs: msOf(busy?.postgresCores),
      statements: Math.round(statements * 10) / 10,
      bytes: Math.round(bytes),
      bare,
    }
  }
  return results
}

/** @param {string} path */
async function read(path) {
  const response = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': KEY } })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

/** @param {string} url @param {string[]} paths @param {number} duration */
async function load(url, paths, duration) {
  const result = await autocannon({
    url,
    connections,
    duration,
    requests: paths.map((path) => ({ method: 'GET', path, headers: { 'x-api-key': KEY } })),
  })
  if (result.non2xx > 0) throw new Error(`${paths[0]}: ${result.non2xx} answers were refusals`)
  return result
}

/** Statements outside of transactions are transactions of their own, and so counted by PostgreSQL. */
async function statementCount() {
  // What a backend has done is reported a second later at the most.
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  const { rows } = await onDatabase((db) =>
    db.query('select xact_commit::float8 as count from pg_stat_database where datname = current_database()'),
  )
  return rows[0].count
}

/** The same bytes from memory. @param {Buffer[]} bodies */
async function bareRoute(bodies) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-read-'))
  const file = join(folder, 'pages.bin')
  const framed = bodies.flatMap((body) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    return [length, body]
  })
  await writeFile(file, Buffer.concat(framed))
  const child = spawn(process.execPath, [BARE_ROUTE, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const url = await new Promise((resolve) => {
      child.stdout.on('data', (chunk) => resolve(/listening on (\S+)/.exec(`${chunk}`)?.[1]))
    })
    const run = await load(
      url,
      bodies.map((_, number) => `/pages/${number}`),
      Math.max(1, seconds / 2),
    )
    return run.requests.average
  } finally {
    child.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * @param {Record<string, string[]>} operations
 * @param {Awaited<ReturnType<typeof measureAll>>} warm
 * @param {Awaited<ReturnType<typeof measureAll>>} cold
 */
function print(operations, warm, cold) {
  for (const [title, results] of /** @type {const} */ ([
    ['cached', warm],
    ['not cached', cold],
  ])) {
    printTable(`${title}, ${connections} connections`, [
      [
        'operation',
        'req/s',
        'p50 ms',
        'p99 ms',
        'server ms',
        'postgres ms',
        'statements',
        'bytes',
        'bare',
        'ratio',
      ],
      ...Object.keys(operations).map((name) => {
        const { perSecond, p50Ms, p99Ms, serverMs, postgresMs, statements, bytes, bare } = results[name]
        const busy = [serverMs, postgresMs].map((ms) => (ms === null ? '-' : figure(ms)))
        const rest = [statements, bytes, bare, perSecond / bare].map(figure)
        return [name, ...[perSecond, p50Ms, p99Ms].map(figure), ...busy, ...rest]
      }),
    ])
  }
}
