import { loadCasts } from '../dist/graph/load/cast-record.js'
import { loadUsers } from '../dist/graph/load/user-record.js'
import { loadViewerRelations } from '../dist/graph/load/viewer.js'
import { readAuthorFeed } from '../dist/graph/query/feeds-by-author.js'
import { readParentFeed } from '../dist/graph/query/feeds-by-parent.js'
import { readFollowingFeed } from '../dist/graph/query/feeds-following.js'
import { readForYouFeed, readTrending } from '../dist/graph/query/feeds-ranked.js'
import { columnTypes } from '../dist/platform/db/column-types.js'
import { parseDatabaseUrl } from '../dist/platform/db/database-url.js'
import postgres from '../vendor/postgres/src/index.js'
import { nowTs } from './read-network.mjs'
import { figure, printTable } from './report.mjs'

/** What PostgreSQL does for the hot statements: `explain (analyze, buffers)` of each, made short. */

/** From the sixth time on a prepared statement may have the plan that it keeps. */
const TIMES = 12

/** @param {string} databaseUrl */
export async function printPlans(databaseUrl) {
  /** @type {any[]} */
  const plans = []
  const { hosts, user, password, database } = parseDatabaseUrl(databaseUrl)
  const db = postgres({
    ...hosts[0],
    ...{ user, password, database },
    max: 1,
    fetch_types: false,
    types: columnTypes,
    onnotice: ({ message }) => {
      const [, json] = /plan:\s*(\{[\s\S]*\})/.exec(message ?? '') ?? []
      if (json !== undefined) plans.push(JSON.parse(json).Plan)
    },
  })
  try {
    const hot = await hotStatements(db)
    await db.unsafe("load 'auto_explain'")
    const settings = { log_analyze: 'on', log_buffers: 'on', log_format: 'json', log_min_duration: '0' }
    for (const [name, value] of Object.entries(settings)) {
      await db.unsafe(`set auto_explain.${name} = '${value}'`)
    }
    await db.unsafe('set client_min_messages = log')
    const rows = []
    for (const [name, run] of Object.entries(hot)) {
      plans.length = 0
      for (let time = 0; time < TIMES; time += 1) await run()
      const kept = plans.slice(TIMES / 2)
      const plan = kept.sort((a, b) => a['Actual Total Time'] - b['Actual Total Time'])[0]
      const given = plan['Actual Rows']
      const read = rowsRead(plan)
      const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      const scans = scansIn(plan)
      rows.push([name, ...[plan['Actual Total Time'], given, read, read / given, buffers, scans].map(figure)])
      console.log(`\n${name}\n\n${tree(plan).join('\n')}`)
    }
    printTable('hot statements, the fastest of six', [
      ['statement', 'ms', 'rows given', 'rows read', 'read for one', 'buffers', 'scans'],
      ...rows,
    ])
  } finally {
    await db.end()
  }
}

/** @param {import('../dist/platform/db/connection.js').Database} db */
async function hotStatements(db) {
  const part = (/** @type {number | undefined} */ viewerFid, count = 26) => ({
    before: null,
    count,
    viewerFid,
  })
  const channel = { parents: { channelIds: ['c3'] }, replies: false }
  const { entries } = await readParentFeed(db, channel, part(undefined, 25))
  const hashes = entries.map(({ hash }) => hash)
  const records = [...(await loadCasts(db, hashes)).values()]
  const fids = [...new Set(records.map(({ fid }) => fid))]
  const casts = records.map(({ hash, fid }) => ({ hash, authorFid: fid }))
  const following = (/** @type {number} */ fid) => () =>
    readFollowingFeed(db, { fid, recasts: true }, part(fid, 39))
  const author = /** @type {const} */ ({ fids: [5], casts: 'all', recasts: false })
  return {
    'channel feed, 26 entries': () => readParentFeed(db, channel, part(8)),
    'viewer and 25 casts': () => loadViewerRelations(db, [{ viewerFid: 8, fids, casts, channelIds: ['c3'] }]),
    '25 casts': () => loadCasts(db, hashes),
    '25 users': () => loadUsers(db, fids),
    'following feed, follows 2,000': following(1),
    'following feed, follows about 120': following(50),
    'following feed, follows 30': following(2),
    "an author's casts": () => readAuthorFeed(db, author, part(undefined)),
    'feed for a user': () => readForYouFeed(db, 50, { ts: nowTs(), after: null, count: 31, viewerFid: 50 }),
    'trending of a day': () => readTrending(db, { seconds: 86_400 }, { ts: nowTs(), count: 200 }),
    'trending of a day in a channel': () =>
      readTrending(db, { seconds: 86_400, channelId: 'c3' }, { ts: nowTs(), count: 200 }),
  }
}

/** Rows that were taken out of tables and indexes, those that a condition then left out among them. @param {any} node @returns {number} */
function rowsRead(node) {
  const loops = node['Actual Loops']
  const left = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = node['Relation Name'] === undefined ? 0 : (node['Actual Rows'] + left) * loops
  return (
    own +
    (node.Plans ?? []).reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + rowsRead(each), 0)
  )
}

/** Tables and indexes that were looked into, each partition counted. @param {any} node @returns {number} */
function scansIn(node) {
  const isScan = node['Relation Name'] !== undefined && node['Actual Loops'] > 0
  return (node.Plans ?? []).reduce(
    (/** @type {number} */ sum, /** @type {any} */ each) => sum + scansIn(each),
    isScan ? 1 : 0,
  )
}

/** Nodes that did something, without those that only hand on. @param {any} node @param {number} [depth] @returns {string[]} */
function tree(node, depth = 2) {
  const loops = node['Actual Loops']
  if (loops === 0) return []
  const on = [
    node['Index Name'] ?? node['Relation Name'] ?? node['CTE Name'],
    node['Subplan Name'] && `(${node['Subplan Name']})`,
  ]
  const isShown = on.some(Boolean) || /Limit|Sort|Aggregate|Join|Loop/.test(node['Node Type'])
  const line = [
    `${' '.repeat(2 * depth)}${[node['Node Type'], ...on].filter(Boolean).join(' ')}:`,
    `${figure(node['Actual Rows'] * loops)} rows`,
    loops > 1 ? `in ${figure(loops)} times` : '',
    node['Rows Removed by Filter'] > 0 ? `(${figure(node['Rows Removed by Filter'] * loops)} left out)` : '',
    `${figure(node['Shared Hit Blocks'] + node['Shared Read Blocks'])} buffers`,
  ]
    .filter(Boolean)
    .join(' ')
  const below = (node.Plans ?? []).flatMap((/** @type {any} */ each) =>
    tree(each, isShown ? depth + 1 : depth),
  )
  return isShown ? [line, ...below] : below
}
