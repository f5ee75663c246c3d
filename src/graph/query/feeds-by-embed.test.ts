import { beforeAll, describe, expect, it, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import type { Database } from '../../platform/db/connection.js'
import type { FeedCursor } from './feeds.js'
import { type EmbedSelection, readEmbedFeed } from './feeds-by-embed.js'

const { db } = await createTestDatabase()

/** The newest embeds that are read before the rare ones are read by index. */
const NEWEST = 2_000
/** Embeds two URLs; the second is the first that is not among the newest. */
const border = '0a'.repeat(20)
const older = '0b'.repeat(20)

beforeAll(async () => {
  await db`
    insert into social.url_embeds (url, ts, hash, fid)
    select 'https://common.example/' || n, 1000 + n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1
    from generate_series(1, ${NEWEST - 1}::integer) n
  `
  for (const [url, ts, hash] of [
    ['https://one.example/a.pdf', 900, border],
    ['https://two.example/b.mp4', 900, border],
    ['https://one.example/c.pdf', 800, older],
    ['https://two.example/d.mp4', 800, older],
  ] as const) {
    await db`insert into social.url_embeds values (${url}, ${ts}, decode(${hash}, 'hex'), 2)`
    const kind = url.endsWith('pdf') ? 'application/pdf' : 'video/mp4'
    await db`insert into embeds.urls (url, host, kind) values (${url}, 'example', ${kind})`
  }
})

describe('a cast with embeds on both sides of the newest', () => {
  const pageRequest = { before: null, count: 10 }
  const found = [border, older]

  test.each(['https://one.example', 'https://two.example'])('is found by its embed of %s', async (prefix) => {
    const entries = await readEmbedFeed(db, { prefixes: [prefix], isHost: true }, pageRequest)
    expect([...new Set(entries.map(({ hash }) => hash))]).toEqual(found)
  })

  test.each(['application/pdf', 'video/mp4'] as const)('is found by its embed of %s', async (kind) => {
    const entries = await readEmbedFeed(db, { kinds: [kind] }, pageRequest)
    expect([...new Set(entries.map(({ hash }) => hash))]).toEqual(found)
  })
})

describe('without older embeds', () => {
  const selections = [
    ['kinds', { kinds: ['application/pdf', 'video/mp4'] }],
    ['a prefix', { prefixes: ['https://one.example'], isHost: true }],
  ] as const

  test.each(selections)('matches of %s at the end of the list are read once', async (_name, selection) => {
    const before = { ts: 900, hash: border }
    const { entries, rows } = await readCounting(selection, before)
    expect([...new Set(entries.map(({ hash }) => hash))]).toEqual([older])
    expect(rows).toBeLessThanOrEqual(2)
  })

  test.each(selections)('matches of %s before the first cast are not read', async (_name, selection) => {
    expect(await readCounting(selection, { ts: 1, hash: 'aa' })).toEqual({ entries: [], rows: 0 })
  })
})

it('with frames: a page has the newest, whatever join the planner chooses', async () => {
  // By URL the oldest comes first, which is the order of a merge join.
  await db`
    insert into embeds.urls (url, host, state, metadata)
    select 'https://framed.example/' || lpad(n::text, 2, '0'), 'framed.example', 'done', '{"frame": {}}'
    from generate_series(1, 30) n`
  await db`
    insert into social.url_embeds (url, ts, hash, fid)
    select 'https://framed.example/' || lpad(n::text, 2, '0'), 9000 + n, decode('ff' || lpad(to_hex(n), 38, '0'), 'hex'), 1
    from generate_series(1, 30) n`
  const pageOf = async (...forbidden: string[]) =>
    await db.begin(async (transaction) => {
      for (const way of forbidden) await transaction`select set_config(${`enable_${way}`}, 'off', true)`
      const request = { before: null, count: 5 }
      const entries = await readEmbedFeed(transaction as unknown as Database, { hasFrame: true }, request)
      return entries.map(({ ts }) => ts)
    })
  const newest = [9030, 9029, 9028, 9027, 9026]
  expect(await pageOf()).toEqual(newest)
  expect(await pageOf('nestloop', 'hashjoin')).toEqual(newest)
  expect(await pageOf('nestloop', 'mergejoin')).toEqual(newest)
})

describe('matches that are common among older embeds, and few of the newest', () => {
  const OLDER = 20_000
  const url = 'https://spread.example/a.jpg'
  const selections = [
    ['kinds', { kinds: ['image/jpeg'] }],
    ['a prefix', { prefixes: ['https://spread.example'], isHost: true }],
    ['two prefixes', { prefixes: ['https://spread.example/%61', 'https://spread.example/a'], isHost: false }],
  ] as const satisfies readonly (readonly [string, EmbedSelection])[]

  beforeAll(async () => {
    await db`insert into embeds.urls (url, host, kind) values (${url}, 'spread.example', 'image/jpeg')`
    await db`
      insert into social.url_embeds (url, ts, hash, fid)
      select case when n <= ${OLDER} or n % 100 = 0 then ${url} else 'https://noise.example/' || n end,
        100000 + n / 3, decode(md5(n::text) || '00000000', 'hex'), 1
      from generate_series(1, ${OLDER + NEWEST}::integer) n`
    await db`analyze social.url_embeds`
  })

  test.each(selections)('%s: a page reads a part of them', async (_name, selection) => {
    const { entries, rows } = await readCounting(selection, null, 25)
    expect(entries).toHaveLength(25)
    expect(rows).toBeLessThan(OLDER / 2)
  })

  test.each(selections)('%s: the pages are all of them, newest first', async (_name, selection) => {
    const expected = await db<FeedCursor[]>`
      select ts, encode(hash, 'hex') as hash from social.url_embeds where url = ${url}
      order by social.url_embeds.ts desc, social.url_embeds.hash desc limit 200`
    const found: FeedCursor[] = []
    while (found.length < 200) {
      const before: FeedCursor | null = found.at(-1) ?? null
      found.push(...(await readEmbedFeed(db, selection, { before, count: 7 + (found.length % 40) })))
    }
    expect(found.slice(0, 200)).toEqual([...expected])
  })

  test('hidden authors -> the page has what is older than them', async () => {
    await db`insert into social.blocks (fid, target_fid, ts) values (9, 1, 0)`
    const entries = await readEmbedFeed(
      db,
      { prefixes: ['https://spread.example'], isHost: true },
      { before: null, count: 5, viewerFid: 9 },
    )
    expect(entries).toHaveLength(0)
    const old = await readEmbedFeed(db, { kinds: ['video/mp4'] }, { before: null, count: 5, viewerFid: 9 })
    expect([...new Set(old.map(({ hash }) => hash))]).toEqual([border, older])
  })
})

/** Reads a page and counts the rows of embeds that PostgreSQL fetched for it. */
async function readCounting(selection: EmbedSelection, before: FeedCursor | null, count = 10) {
  return await db.begin(async (transaction) => {
    const fetched = async () => {
      const [row] = await transaction<{ rows: number }[]>`
        select (seq_tup_read + idx_tup_fetch)::integer as rows
        from pg_stat_xact_user_tables where schemaname = 'social' and relname = 'url_embeds'`
      return row!.rows
    }
    // An index would not be worth it in a small table.
    await transaction`set local enable_seqscan = off`
    const start = await fetched()
    // What the page reads in a transaction of its own is counted with the rest.
    const begin = (_mode: string, read: (inner: typeof transaction) => unknown) => read(transaction)
    const inside = Object.assign(transaction, { begin }) as unknown as Database
    const entries = await readEmbedFeed(inside, selection, { before, count })
    return { entries: [...entries], rows: (await fetched()) - start }
  })
}
