import autocannon from 'autocannon'
import { startBareRoute } from './bare-route-process.mjs'
import { restartPlaza } from './plaza-process.mjs'
import { watchUsage } from './process-usage.mjs'
import { KEY, onDatabase, SETTINGS, settled } from './read-servers.mjs'
import { figure, printTable } from './report.mjs'

/**
 * The same 1 to 20 pages again and again, which is what a cache is best at. The server runs twice on the same data:
 * with its cache, and without (`VIEW_CACHE_ENTRIES=0`), which tells what a page costs that nobody has read.
 */

/**
 * @typedef {object} Run
 * @property {import('./plaza-process.mjs').PlazaServer} server
 * @property {number} connections
 * @property {number} seconds For each operation.
 */

/**
 * Measures and prints both runs.
 *
 * @param {import('./read-servers.mjs').Side} side Its server is another one afterwards.
 * @param {{ connections: number, seconds: number }} options
 */
export async function measureNarrow(side, { connections, seconds }) {
  side.server = await restartPlaza(side.server, { ...SETTINGS, VIEW_CACHE_ENTRIES: '200000' }, side.checkout)
  const { databaseUrl, url } = side.server
  await settled(side.server)
  const operations = await onDatabase(databaseUrl, (db) => operationsOn(db, url, side.network.sizes))
  const warm = await measureAll({ server: side.server, connections, seconds }, operations)
  side.server = await restartPlaza(side.server, { ...SETTINGS, VIEW_CACHE_ENTRIES: '0' }, side.checkout)
  await settled(side.server)
  const cold = await measureAll({ server: side.server, connections, seconds }, operations)
  print({ cached: warm, 'not cached': cold }, connections)
  return { warm, cold }
}

/**
 * What is asked: a list of paths each, so that not always the same page is read.
 *
 * @param {import('pg').Client} client
 * @param {string} url
 * @param {{ users: number }} sizes
 */
async function operationsOn(client, url, { users }) {
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
  const { next } = JSON.parse(
    `${await read(url, '/v2/farcaster/feed/following?fid=1&viewer_fid=1&limit=25')}`,
  )
  return {
    'channel feed, 25, viewer': many.map(
      (n) => `feed?feed_type=filter&filter_type=channel_id&channel_id=c${n}&viewer_fid=${n + 5}&limit=25`,
    ),
    'following feed, follows 2,000': ['feed/following?fid=1&viewer_fid=1&limit=25'],
    'the same, second page': [`feed/following?fid=1&viewer_fid=1&limit=25&cursor=${next.cursor}`],
    'following feed, follows 30': ['feed/following?fid=2&viewer_fid=2&limit=25'],
    'following feed, 20 users': many.map((n) => `feed/following?fid=${n + 50}&viewer_fid=${n + 50}&limit=25`),
    'trending of a day': ['feed/trending?limit=10'],
    'feed for a user, 20 users': many.map((n) => `feed/for_you?fid=${n + 50}&viewer_fid=${n + 50}&limit=25`),
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

/** @param {Run} run @param {Record<string, string[]>} operations */
async function measureAll(run, operations) {
  /** @type {Record<string, Awaited<ReturnType<typeof measure>>>} */
  const results = {}
  for (const [name, paths] of Object.entries(operations)) {
    results[name] = await measure(
      run,
      paths.map((path) => (path.startsWith('/') ? path : `/v2/farcaster/${path}`)),
    )
  }
  return results
}

/** @param {Run} run @param {string[]} paths */
async function measure({ server, connections, seconds }, paths) {
  const bodies = await Promise.all(paths.map((path) => read(server.url, path)))
  await load(server.url, paths, { connections, duration: 1 })
  const before = await statementCount(server.databaseUrl)
  const usage = watchUsage(server.pid, server.postgresPid)
  const run = await load(server.url, paths, { connections, duration: seconds })
  await usage.stop()
  const busy = usage.between(0, Number.POSITIVE_INFINITY)
  const msOf = (/** @type {number | null | undefined} */ cores) =>
    cores == null ? null : (cores * run.duration * 1000) / run.requests.total
  const statements = ((await statementCount(server.databaseUrl)) - before) / run.requests.total
  return {
    perSecond: run.requests.average,
    p50Ms: run.latency.p50,
    p99Ms: run.latency.p99,
    serverMs: msOf(busy?.serverCores),
    postgresMs: msOf(busy?.postgresCores),
    statements: Math.round(statements * 10) / 10,
    bytes: Math.round(bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length),
    bare: await bareRoute(bodies, { connections, duration: Math.max(1, seconds / 2) }),
  }
}

/** @param {string} url @param {string} path */
async function read(url, path) {
  const response = await fetch(`${url}${path}`, { headers: { 'x-api-key': KEY } })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

/** @param {string} url @param {string[]} paths @param {{ connections: number, duration: number }} options */
async function load(url, paths, options) {
  const result = await autocannon({
    url,
    ...options,
    requests: paths.map((path) => ({ method: 'GET', path, headers: { 'x-api-key': KEY } })),
  })
  if (result.non2xx > 0) throw new Error(`${paths[0]}: ${result.non2xx} answers were refusals`)
  return result
}

/**
 * Statements outside of transactions are transactions of their own, and so counted by PostgreSQL.
 *
 * @param {string} databaseUrl
 */
async function statementCount(databaseUrl) {
  // What a backend has done is reported a second later at the most.
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  const { rows } = await onDatabase(databaseUrl, (db) =>
    db.query('select xact_commit::float8 as count from pg_stat_database where datname = current_database()'),
  )
  return rows[0].count
}

/** The same bytes from memory. @param {Buffer[]} bodies @param {{ connections: number, duration: number }} options */
async function bareRoute(bodies, options) {
  const route = await startBareRoute(bodies)
  try {
    const paths = bodies.map((_, number) => `/pages/${number}`)
    return (await load(route.url, paths, options)).requests.average
  } finally {
    await route.stop()
  }
}

/**
 * @param {Record<string, Awaited<ReturnType<typeof measureAll>>>} runs By their names.
 * @param {number} connections
 */
function print(runs, connections) {
  const titles = ['operation', 'req/s', 'p50 ms', 'p99 ms', 'server ms', 'postgres ms', 'statements', 'bytes']
  for (const [name, results] of Object.entries(runs)) {
    printTable(`narrow, ${name}, ${connections} connections`, [
      [...titles, 'bare', 'ratio'],
      ...Object.entries(results).map(([operation, figures]) => {
        const { perSecond, p50Ms, p99Ms, serverMs, postgresMs, statements, bytes, bare } = figures
        const busy = [serverMs, postgresMs].map((ms) => (ms === null ? '-' : figure(ms)))
        const rest = [statements, bytes, bare, perSecond / bare].map(figure)
        return [operation, ...[perSecond, p50Ms, p99Ms].map(figure), ...busy, ...rest]
      }),
    ])
  }
}
