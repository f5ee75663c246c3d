import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import pg from 'pg'
import { query } from './database.mjs'
import { busy, fillInbox, lastTs, quiet } from './inbox-network.mjs'
import { prepareNetwork } from './network-file.mjs'
import { runPlaza, startPlaza } from './plaza-process.mjs'
import { quantile } from './quantiles.mjs'
import { figure, machine, printTable, record } from './report.mjs'
import { submitBodies } from './submit-bodies.mjs'

/**
 * The inbox: the first page of a user with 1,000,000 notifications beside that of one with 100, and how fast the
 * consumer writes beside how fast messages are merged. Server, PostgreSQL and load share the machine.
 */

const KEY = 'plaza_bench_inbox_key'
/** The default. */
const SHARDS = 1

const { values } = parseArgs({
  options: {
    notifications: { type: 'string', default: '1000000' },
    crowd: { type: 'string', default: '200000' },
    messages: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '5' },
    'no-pages': { type: 'boolean', default: false },
    'no-consumer': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const abort = new AbortController()
const env = {
  PLAZA_DEV_API_KEY: KEY,
  VIEW_CACHE_ENTRIES: '200000',
  CRAWL_EMBEDS: 'false',
  SCORE_INTERVAL_HOURS: '0',
}

const pages = values['no-pages'] ? null : await measurePages()
const consumer = values['no-consumer'] ? null : await measureConsumer()
if (values.record) await record({ bench: 'inbox', machine: await machine(), pages, consumer })

async function measurePages() {
  const server = await startPlaza({ env })
  try {
    const size = { notifications: Number(values.notifications), crowd: Number(values.crowd) }
    await onDatabase(server, (db) => fillInbox(db, size))
    const started = Date.now()
    await runPlaza(['inbox', 'rebuild'], { dataDir: server.dataDir, signal: abort.signal })
    const rebuildSeconds = (Date.now() - started) / 1000
    await onDatabase(server, (db) => db.query('vacuum (analyze) inbox.notifications'))
    const [held] = await query(
      server.databaseUrl,
      `select count(*) filter (where fid = ${busy})::integer as busy,
         count(*) filter (where fid = ${quiet})::integer as quiet
       from inbox.notifications`,
    )
    console.log(`notifications: ${JSON.stringify(held)}, rebuilt in ${figure(rebuildSeconds)} s`)
    const middle = Buffer.from(
      JSON.stringify(['notifications', lastTs - 4 * size.notifications, 4, 'ff'.repeat(20)]),
    ).toString('base64url')
    const first = [`notifications?fid=${quiet}`, `notifications?fid=${busy}`]
    const found = {
      'first page': await measure(server, first),
      'first page of likes': await measure(
        server,
        first.map((path) => `${path}&type=likes`),
      ),
      'first page, and one in the middle of many': await measure(server, [
        `notifications?fid=${quiet}`,
        `notifications?fid=${busy}&cursor=${middle}`,
      ]),
      'three in a channel, and fifteen of many': await measure(server, [
        `notifications/channel?fid=${quiet}&channel_ids=c3`,
        `notifications/channel?fid=${busy}&channel_ids=c3`,
      ]),
    }
    await onDatabase(server, (db) =>
      db.query(`
        insert into moderation.mutes (fid, target_fid, muted_at)
        select fid, 10 + 7 * i, 1700000000 from generate_series(0, 999) i, (values (${busy}), (${quiet})) v (fid)
      `),
    )
    found['first page, with 1,000 muted'] = await measure(server, first)
    printPages(found)
    return { held, rebuildSeconds, found }
  } finally {
    await server.stop()
  }
}

/** @param {Record<string, { p50Ms: number[], perSecond: number[], bytes: number[] }>} found */
function printPages(found) {
  printTable('pages of 15: of the one with few and of the one with many, by turns, and with 16 connections', [
    [
      'page',
      'few, p50 ms',
      'many, p50 ms',
      'ratio',
      '16: few /s',
      '16: many /s',
      'few, bytes',
      'many, bytes',
    ],
    ...Object.entries(found).map(([name, { p50Ms, perSecond, bytes }]) => [
      name,
      ...[...p50Ms, p50Ms[1] / p50Ms[0], ...perSecond, ...bytes].map(figure),
    ]),
  ])
}

/**
 * By turns, so that what else the machine does weighs on both alike.
 *
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {readonly string[]} paths
 */
async function measure(server, paths) {
  const headers = { 'x-api-key': KEY }
  const urls = paths.map((path) => `${server.url}/v2/farcaster/${path}`)
  const perSecond = []
  for (const url of urls) {
    const run = await autocannon({ url, headers, connections: 16, duration: seconds })
    if (run.non2xx > 0) throw new Error(`${url}: ${run.non2xx} answers were refusals`)
    perSecond.push(run.requests.average)
  }
  const took = urls.map(() => /** @type {number[]} */ ([]))
  const bytes = []
  for (const until = Date.now() + 2 * seconds * 1000; Date.now() < until; ) {
    for (const [index, url] of urls.entries()) {
      const start = performance.now()
      const body = await (await fetch(url, { headers })).arrayBuffer()
      took[index].push(performance.now() - start)
      bytes[index] = body.byteLength
    }
  }
  const p50Ms = took.map((each) => quantile(each, 0.5))
  return { p50Ms, perSecond, bytes }
}

async function measureConsumer() {
  const options = { messages: Number(values.messages), seed: 1, senders: 4, batch: 1000 }
  const network = await prepareNetwork(options, console.log, abort.signal)
  const apart = await onServer(network, mergeThenConsume)
  const together = await onServer(network, mergeAndConsume)
  printTable('the consumer beside the merge', [
    ['what', 'figure'],
    ['messages merged a second, nothing consumed', figure(apart.mergedPerSecond)],
    ['events consumed a second, nothing merged', figure(apart.consumedPerSecond)],
    ['consumed against merged', `${figure(apart.consumedPerSecond / apart.mergedPerSecond)} x`],
    ['messages merged a second, consumer at work', figure(together.mergedPerSecond)],
    ['seconds that it is behind at the last answer', figure(together.behindSeconds)],
    ['notifications', figure(apart.notifications)],
  ])
  return { apart, together }
}

/**
 * @template T
 * @param {import('./network-file.mjs').Network} network
 * @param {(server: import('./plaza-process.mjs').PlazaServer, network: import('./network-file.mjs').Network) => Promise<T>} work
 */
async function onServer(network, work) {
  const server = await startPlaza({ env })
  try {
    await runPlaza(['import', network.baseFile], { dataDir: server.dataDir, signal: abort.signal })
    await untilLevel(server)
    return await work(server, network)
  } finally {
    await server.stop()
  }
}

/** Whoever has the cursor's row keeps the consumer from it. @type {Parameters<typeof onServer>[1]} */
async function mergeThenConsume(server, network) {
  const mergedPerSecond = await onDatabase(server, async (db) => {
    await db.query('begin')
    await db.query('select from hub.consumers for update')
    const submission = await submitBodies(server.url, network.bodies, abort.signal)
    await db.query('commit')
    return submission.merged / submission.seconds
  })
  const consumeSeconds = await untilLevel(server)
  const [{ events, notifications }] = await query(
    server.databaseUrl,
    `select (select count(*)::integer from hub.events) as events,
       (select count(*)::integer from inbox.notifications) as notifications`,
  )
  return { mergedPerSecond, consumedPerSecond: events / consumeSeconds, events, notifications }
}

/** @type {Parameters<typeof onServer>[1]} */
async function mergeAndConsume(server, network) {
  const submission = await submitBodies(server.url, network.bodies, abort.signal)
  return { mergedPerSecond: submission.merged / submission.seconds, behindSeconds: await untilLevel(server) }
}

/** Seconds until the consumer has had every event. @param {import('./plaza-process.mjs').PlazaServer} server */
async function untilLevel(server) {
  const started = Date.now()
  return await onDatabase(server, async (db) => {
    for (;;) {
      const { rows } = await db.query(`
        select from hub.consumers c
        where name = 'inbox' and not exists (select from hub.events e where e.shard = c.shard and e.id >= c.next_id)
      `)
      if (rows.length === SHARDS) return (Date.now() - started) / 1000
      await sleep(20)
    }
  })
}

/**
 * @template T
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {(db: import('pg').Client) => Promise<T>} work
 */
async function onDatabase(server, work) {
  const db = new pg.Client({ connectionString: server.databaseUrl })
  await db.connect()
  return await work(db).finally(() => db.end())
}
