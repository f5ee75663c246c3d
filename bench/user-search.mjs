import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { searchUsers } from '../dist/graph/query/users-search.js'
import { refreshSearchLists } from '../dist/graph/refresh/search-prefix-lists.js'
import { connect } from '../dist/platform/db/connection.js'
import { startEmbedded } from '../dist/platform/db/embedded.js'
import { migrate } from '../dist/platform/db/migrate.js'
import { silentLog } from '../dist/platform/log/log.js'
import { quantile } from './quantiles.mjs'
import { figure, machine, printTable, record } from './report.mjs'

/**
 * User search, one letter to whole name, on a large generated network: what the database takes for it, beside
 * `select 1` in the same run, which is what a round trip takes on this machine at this moment.
 */

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    names: { type: 'string', default: '300' },
    connections: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
  },
})
const users = Number(values.users)
const connections = Number(values.connections)

const GIVEN = `ada amara ben brigid callum chidi dana dara devi eli esme farid freya grace hana harper imani iris jonas june
  kaya kofi lena leo maeve malik mina nadia niamh noah odette omar otis priya quinn rafi rosa rowan sam sana theo tunde
  uma vera wes yara zadie zoe alice bob carol max anna lucas emma liam mia marco paul peter john mary mike tom nick alex
  chris kevin ivan olga yuki wei raj sara juan pedro luis karl jan nils jack kate`
const FAMILY = `abara bailey barros bell clarke diaz doyle eze finch hale ibrahim iyer jones kaur keane mbeki mehta moss novak
  okafor osei parker quill rao reid sato shah silva singh stone tanaka thorne vance walsh wren young eth crypto art dev
  codes music photo dao base moon sun river garden coffee bike chess`

const dataDir = await mkdtemp(join(tmpdir(), 'plaza-bench-search-'))
await chmod(dataDir, 0o711)
const settings = { fsync: 'off', full_page_writes: 'off', max_wal_size: '4GB', maintenance_work_mem: '512MB' }
const database = await startEmbedded({ dataDir, command: 'bench', log: silentLog, settings, detached: false })
try {
  await migrate(database.url, silentLog)
  const db = connect(database.url, {
    poolSize: connections,
    applicationName: 'plaza bench',
    statementTimeoutMs: 0,
  })
  try {
    await measure(db)
  } finally {
    await db.end()
  }
} finally {
  await database.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** @param {import('../dist/platform/db/connection.js').Database} db */
async function measure(db) {
  await db.unsafe(fill()).simple()
  await db.unsafe('vacuum analyze')
  const startMs = performance.now()
  await refreshSearchLists(db, Date.now())
  const refreshSeconds = (performance.now() - startMs) / 1000
  await db.unsafe('vacuum analyze')
  const texts = await keystrokes(db)
  await timed(db, texts.slice(0, 300))
  const times = new Map([...(await timed(db, texts)), ...(await timedFewHits(db))])
  printTable(`User search on ${users.toLocaleString('en')} users, ${connections} at once, ms`, [
    ['what', 'times', 'p50', 'p90', 'p99'],
    ...[...times].map(([name, all]) => [
      name,
      String(all.length),
      ...[0.5, 0.9, 0.99].map((share) => figure(quantile(all, share) ?? 0)),
    ]),
  ])
  console.log(`  lists of common prefixes made in ${figure(refreshSeconds)} s`)
  if (!values.record) return
  const p99 = Object.fromEntries([...times].map(([name, all]) => [name, quantile(all, 0.99) ?? 0]))
  await record({ bench: 'user search', machine: await machine(), users, connections, refreshSeconds, p99 })
}

/**
 * Users with names as people have them, a ring of 5% whose names all begin alike and who are little trusted, 5% who
 * have their number for a name and 5% who have none.
 */
function fill() {
  const list = (/** @type {string} */ text) =>
    `array[${text
      .trim()
      .split(/\s+/)
      .map((word) => `'${word}'`)}]`
  return `
    select setseed(0.42);
    insert into social.users (fid, custody_address, registered_at, username, display_name, score)
    select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1600000000 + n,
      case
        when r < 0.05 then 'airdrop' || lpad(n::text, 7, '0')
        when r < 0.10 then 'user' || n
        when r < 0.15 then null
        when r < 0.50 then left(given || family, 9) || n
        when r < 0.80 then left(family || given, 6) || n
        else left(substr(md5(n::text), 1, 3) || given, 9) || n
      end,
      case
        when r < 0.05 then 'Airdrop ' || n
        when shown < 0.1 then null
        when shown < 0.2 then '🌱 ' || initcap(given)
        else initcap(given) || ' ' || initcap(family)
      end,
      case when r < 0.05 then 0.02 else random() end
    from (
      select n, random() as r, random() as shown,
        (${list(GIVEN)})[1 + floor(random() * ${list(GIVEN).split(',').length})::integer] as given,
        (${list(FAMILY)})[1 + floor(random() * ${list(FAMILY).split(',').length})::integer] as family
      from generate_series(1, ${users}) n
    ) person;
    insert into social.user_counts
    select n, least(500000, floor(5 / power(random() + 1e-6, 1.2)))::integer, floor(random() * 500)::integer
    from generate_series(1, ${users}) n;
  `
}

/**
 * What is typed on the way to some names.
 *
 * @param {import('../dist/platform/db/connection.js').Database} db
 */
async function keystrokes(db) {
  const every = Math.max(1, Math.floor(users / Number(values.names)))
  const rows = await db`
    select username from social.users where username is not null and fid % ${every} = 0 order by md5(username)`
  return rows.flatMap(({ username }) =>
    Array.from({ length: username.length }, (_, index) => String(username).slice(0, index + 1)),
  )
}

/**
 * @param {import('../dist/platform/db/connection.js').Database} db
 * @param {readonly string[]} texts
 */
async function timed(db, texts) {
  /** @type {Map<string, number[]>} */
  const times = new Map([
    ['select 1', []],
    ['one letter', []],
    ['two letters', []],
    ['three letters', []],
    ['four and more', []],
  ])
  const waiting = [...texts]
  const names = ['one letter', 'two letters', 'three letters']
  async function type() {
    for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
      let startMs = performance.now()
      await db`select 1`
      times.get('select 1')?.push(performance.now() - startMs)
      startMs = performance.now()
      await search(db, text)
      times.get(names[text.length - 1] ?? 'four and more')?.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: connections }, type))
  return times
}

/**
 * Texts with fewer hits by prefix than a page, which are searched by similarity: whole usernames, usernames with a letter
 * left out, and display names with two letters swapped.
 *
 * @param {import('../dist/platform/db/connection.js').Database} db
 */
async function timedFewHits(db) {
  const every = Math.max(1, Math.floor(users / Number(values.names)))
  const rows = await db`
    select username, lower(display_name) as shown from social.users
    where username is not null and display_name is not null and fid % ${every} = 0 order by md5(username)`
  /** @type {Record<string, (name: string, shown: string) => string>} */
  const texts = {
    'few hits: whole username': (name) => name,
    'few hits: a letter left out': (name) => name.slice(0, 3) + name.slice(4),
    'few hits: two letters swapped': (_, shown) =>
      shown.slice(0, 3) + shown.charAt(4) + shown.charAt(3) + shown.slice(5),
  }
  const times = new Map()
  for (const [name, textOf] of Object.entries(texts)) {
    const taken = []
    for (const { username, shown } of rows) {
      const startMs = performance.now()
      await search(db, textOf(username, shown))
      taken.push(performance.now() - startMs)
    }
    times.set(name, taken)
  }
  return times
}

/**
 * As `user/search` does it for a page of five.
 *
 * @param {import('../dist/platform/db/connection.js').Database} db
 * @param {string} text
 */
async function search(db, text) {
  await searchUsers(db, { text, viewerFid: undefined, hidden: [], limit: 6 })
}
