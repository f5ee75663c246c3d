import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { query } from './database.mjs'
import { CHAIN_ID, holderSql, startLogSource, TOKEN } from './log-source.mjs'
import { startPlaza } from './plaza-process.mjs'
import { quantile } from './quantiles.mjs'
import { figure, machine, printTable, record } from './report.mjs'

/**
 * Assets: transfers indexed a second beside the same logs fetched and parsed by somebody who does nothing with them, and
 * relevant owners of a token with 1,000,000 holders for a viewer who follows 2,000, beside the smallest operation of the
 * API. Server, PostgreSQL, RPC and load share the machine.
 */

const KEY = 'plaza_bench_assets_key'
const LOGS_AT_ONCE_BLOCKS = 100
const FOLLOWS = 2_000
/** So many that a list that was kept for one of them is too old when it is its turn again. */
const VIEWERS = 100

const { values } = parseArgs({
  options: {
    holders: { type: 'string', default: '1000000' },
    users: { type: 'string', default: '100000' },
    requests: { type: 'string', default: '1000' },
    'no-indexing': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const headers = { 'x-api-key': KEY }
const source = await startLogSource({ holders: Number(values.holders) })
const server = await startPlaza({
  env: {
    PLAZA_DEV_API_KEY: KEY,
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
    CHAIN_BASE_RPC_URLS: source.url,
    CHAIN_IDS: `base=${CHAIN_ID}`,
    CHAIN_CONFIRMATIONS: '2',
    CHAIN_REGISTRIES: 'false',
  },
})
try {
  const indexing = values['no-indexing'] ? null : { parsed: await fetchOnly(), indexed: await indexAll() }
  if (indexing === null) await fillBalances()
  const owners = await measureOwners()
  if (indexing !== null) {
    printTable('transfers a second', [
      ['what', 'figure'],
      ['fetched and parsed', figure(indexing.parsed)],
      ['indexed', figure(indexing.indexed)],
      ['indexed against fetched and parsed', `${figure(indexing.indexed / indexing.parsed)} x`],
    ])
  }
  printTable(`relevant owners of ${values.holders} holders`, [
    ['request', 'p50 ms', 'p99 ms', 'bytes'],
    ...Object.entries(owners).map(([name, { p50Ms, p99Ms, bytes }]) => [
      name,
      ...[p50Ms, p99Ms, bytes].map(figure),
    ]),
  ])
  if (values.record) {
    await record({ bench: 'assets', machine: await machine(), indexing, owners })
  }
} finally {
  await server.stop()
  await source.stop()
}

/** All logs, in ranges as the follower asks for, and nothing done with them. */
async function fetchOnly() {
  const started = performance.now()
  let logs = 0
  for (let from = source.firstBlock; from <= source.lastBlock; from += LOGS_AT_ONCE_BLOCKS) {
    const to = Math.min(source.lastBlock, from + LOGS_AT_ONCE_BLOCKS - 1)
    const params = [{ fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params })
    const reply = await (await fetch(source.url, { method: 'POST', body })).json()
    logs += reply.result.length
  }
  if (logs !== source.transfers) throw new Error(`${logs} logs instead of ${source.transfers}`)
  return logs / ((performance.now() - started) / 1000)
}

/** Asks for the token, and takes the time from the first to the last transfer that is read. */
async function indexAll() {
  await ask('fungible/owner/relevant', { contract_address: TOKEN, network: 'base' }, 202)
  let [begun, blocks] = [0, source.firstBlock]
  for (;;) {
    const [{ read_to: readTo }] = await query(
      server.databaseUrl,
      'select read_to::integer from tokens.tokens',
    )
    if (readTo !== null && readTo > source.firstBlock && begun === 0)
      [begun, blocks] = [performance.now(), readTo]
    if (readTo !== null && readTo > source.lastBlock) break
    await sleep(50)
  }
  const seconds = (performance.now() - begun) / 1000
  const [held] = await query(
    server.databaseUrl,
    'select count(*)::integer as holders from tokens.balances where balance > 0',
  )
  if (held.holders !== Number(values.holders)) throw new Error(`${held.holders} holders`)
  return (
    (source.transfers * (source.lastBlock + 1 - blocks)) /
    (source.lastBlock + 1 - source.firstBlock) /
    seconds
  )
}

/** What indexing leaves behind, at once. */
async function fillBalances() {
  const token = Buffer.from(TOKEN.slice(2), 'hex').toString('hex')
  await query(
    server.databaseUrl,
    `insert into tokens.tokens (network, address, name, symbol, decimals, tracked_by, first_block, live_from, read_to)
     values ('base', '\\x${token}', 'Bench', 'BNCH', 18, 'operator', 1, 2, 2)`,
  )
  await query(
    server.databaseUrl,
    `insert into tokens.balances
     select t.id, ${holderSql('i')}, 1000000 + i
     from tokens.tokens t, generate_series(0, ${Number(values.holders) - 1}) i`,
  )
}

async function measureOwners() {
  await fillUsers()
  const token = { contract_address: TOKEN, network: 'base' }
  for (let ready = false; !ready; await sleep(200))
    ready = (await fetch(urlOf('fungible/owner/relevant', token), { headers })).status === 200
  const requests = {
    'another viewer each time': (/** @type {number} */ turn) =>
      urlOf('fungible/owner/relevant', { ...token, viewer_fid: 1 + (turn % VIEWERS) }),
    'the same viewer': () => urlOf('fungible/owner/relevant', { ...token, viewer_fid: VIEWERS + 1 }),
    'no viewer': () => urlOf('fungible/owner/relevant', token),
    'storage/allocations': () => urlOf('storage/allocations', { fid: 7 }),
  }
  const took = Object.fromEntries(Object.keys(requests).map((name) => [name, /** @type {number[]} */ ([])]))
  /** @type {Record<string, number>} */
  const bytes = {}
  console.log('measuring')
  // By turns, so that what else the machine does weighs on all alike.
  for (let turn = 0; turn < Number(values.requests); turn += 1) {
    for (const [name, urlAt] of Object.entries(requests)) {
      const url = urlAt(turn)
      const start = performance.now()
      const body = await (await fetch(url, { headers })).arrayBuffer()
      took[name]?.push(performance.now() - start)
      bytes[name] = body.byteLength
    }
  }
  return Object.fromEntries(
    Object.entries(took).map(([name, list]) => [
      name,
      { p50Ms: quantile(list, 0.5) ?? 0, p99Ms: quantile(list, 0.99) ?? 0, bytes: bytes[name] ?? 0 },
    ]),
  )
}

/** Users, every one a holder with a custody and a verified address; each viewer follows 2,000 of them. */
async function fillUsers() {
  const users = Number(values.users)
  const step = Math.floor(Number(values.holders) / (2 * users))
  const db = new pg.Client({ connectionString: server.databaseUrl })
  await db.connect()
  await db.query(`
    insert into social.users (fid, custody_address, registered_at, username, display_name, score)
    select i, ${holderSql(`i * ${step}`)}, 1700000000, 'user' || i, 'Number ' || i, 0.9 from generate_series(1, ${users}) i`)
  await db.query(`
    insert into social.verifications (fid, address, protocol, ts, signer)
    select i, ${holderSql(`i * ${step} + ${Number(values.holders) / 2}`)}, 0, 1, '' from generate_series(1, ${users}) i`)
  await db.query(`
    insert into social.follows (fid, target_fid, ts, signer)
    select viewer, 1 + (viewer * 7 + i * ${Math.floor(users / FOLLOWS)}) % ${users}, i, ''
    from generate_series(1, ${VIEWERS + 1}) viewer, generate_series(0, ${FOLLOWS - 1}) i`)
  await db.query('vacuum (analyze) social.users')
  await db.query('vacuum (analyze) social.verifications')
  await db.query('vacuum (analyze) social.follows')
  await db.query('vacuum (analyze) tokens.balances')
  await db.end()
}

/** @param {string} path @param {Record<string, string | number>} params */
function urlOf(path, params) {
  const search = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]))
  return `${server.url}/v2/farcaster/${path}?${search}`
}

/** @param {string} path @param {Record<string, string | number>} params @param {number} status */
async function ask(path, params, status) {
  const reply = await fetch(urlOf(path, params), { headers })
  if (reply.status !== status) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
}
