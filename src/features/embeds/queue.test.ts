import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { enqueueUrls, hostOf } from '../../graph/project/embed-queue.js'
import type { Database } from '../../platform/db/connection.js'
import { claimDue, storeFailure } from './queue.js'
import { metadataOf } from './testing/stored-metadata.js'

const { db, connect } = await createTestDatabase()
beforeEach(async () => {
  await db`truncate embeds.urls`
})

it('queues http(s) URLs once each and skips others', async () => {
  const urls = [
    'https://b.social/cat.png',
    'http://a.social/',
    'https://b.social/cat.png',
    'chain://eip155:1/erc721:0x1',
    'farcaster://channel',
    'not a URL',
    'https://',
    `https://a.social/${'a'.repeat(3_000)}`,
    // The index holds bytes, of which these letters have three.
    `https://a.social/${Array.from({ length: 1_000 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000))).join('')}`,
    'https://a.social/\0',
  ]
  await enqueueUrls(db, urls)
  await enqueueUrls(db, urls)
  await enqueueUrls(db, [])
  expect(await db`select url, host, state, kind, attempts from embeds.urls order by url`).toEqual([
    { url: 'http://a.social/', host: 'a.social', state: 'pending', kind: null, attempts: 0 },
    { url: 'https://b.social/cat.png', host: 'b.social', state: 'pending', kind: 'image/png', attempts: 0 },
  ])
})

it('rolls back with the transaction that stores the casts', async () => {
  const stored = db.begin(async (tx) => {
    await enqueueUrls(tx, ['https://a.social/'])
    throw new Error('rolled back')
  })
  await expect(stored).rejects.toThrow('rolled back')
  expect(await db`select from embeds.urls`).toHaveLength(0)
})

it('two transactions do not block each other', async () => {
  const urls = Array.from({ length: 200 }, (_, n) => `https://a.social/${n}`)
  const other = connect()
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([enqueueUrls(db, urls), enqueueUrls(other, urls.toReversed())])
    await db`truncate embeds.urls`
  }
})

it('claimDue: visits hosts in name order under any query plan', async () => {
  const hosts = ['d', 'a', 'e', 'c', 'b', 'f'].map((name) => `${name}.social`)
  for (const setting of ['enable_nestloop', 'enable_hashjoin', 'enable_indexscan', 'enable_seqscan']) {
    await db`truncate embeds.urls`
    await enqueueUrls(
      db,
      hosts.flatMap((host) => [1, 2, 3].map((n) => `https://${host}/${n}`)),
    )
    const planning = connect({ poolSize: 1 })
    await planning.unsafe(`set ${setting} = off`)
    const visited: string[] = []
    for (const _ of hosts) {
      const [claim] = await claimDue(planning, { count: 1, leaseMs: 60_000, after: '' })
      visited.push(claim!.host)
    }
    expect([setting, visited]).toEqual([setting, hosts.toSorted()])
  }
})

/** Stores URLs of retries: the given number of them for each host, at these seconds from now. */
async function storeRetries(hosts: number, urlsPerHost: number, dueInSeconds: number): Promise<void> {
  await db`
    insert into embeds.urls (url, host, attempts, due, next_attempt_at)
    select format('https://made-up-%s.social/%s', h, n), format('made-up-%s.social', h), 1, false,
      now() + ${dueInSeconds}::float8 * interval '1 second'
    from generate_series(1, ${hosts}::integer) h, generate_series(1, ${urlsPerHost}::integer) n`
}

it('claimDue: hosts that wait for a retry cost nothing', async () => {
  await storeRetries(20_000, 1, 3_600)
  await enqueueUrls(db, ['https://z.social/'])
  await db.unsafe('vacuum analyze embeds.urls')
  // One session, whose statistics are flushed together.
  const session = connect({ poolSize: 1 })
  const before = await blocksRead(session)
  const claims = await claimDue(session, { count: 16, leaseMs: 60_000, after: '' })
  expect(claims.map(({ host }) => host)).toEqual(['z.social'])
  const blocks = (await blocksRead(session)) - before
  expect(blocks).toBeGreaterThan(0)
  expect(blocks).toBeLessThan(200)
})

/** Blocks of the queue and its indexes that a session has read. */
async function blocksRead(session: Database): Promise<number> {
  await session`select pg_stat_force_next_flush()`
  const [row] = await session<{ blocks: number }[]>`
    select (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::integer as blocks
    from pg_statio_user_tables
    where schemaname = 'embeds' and relname = 'urls'`
  return row!.blocks
}

it('claimDue: retries of a host do not hold up later ones of others', async () => {
  await storeRetries(1, 2_500, -60)
  await db`
    insert into embeds.urls (url, host, attempts, due, next_attempt_at)
    values ('https://z.social/', 'z.social', 1, false, now() - interval '1 second')`
  const visited: string[] = []
  for (let poll = 1; poll <= 3; poll += 1) {
    for (const claim of await claimDue(db, { count: 16, leaseMs: 60_000, after: '' })) {
      visited.push(claim.host)
      await storeFailure(
        db,
        claim,
        { failure: 'status 503', isTransient: true, retryAfterMs: 0 },
        [0, 60_000],
      )
    }
  }
  expect(new Set(visited)).toEqual(new Set(['made-up-1.social', 'z.social']))
})

it('separates hosts by name, not by port or spelling', () => {
  expect(hostOf('https://A.social:8443/')).toBe('a.social')
  expect(hostOf('https://a.social./')).toBe('a.social')
  expect(hostOf('http://0x7f.1/')).toBe('127.0.0.1')
})

it('metadataOf: returns an entry for every URL with one statement', async () => {
  const statements: string[] = []
  const counted = connect({ onStatement: (sql) => statements.push(sql) })
  await enqueueUrls(db, ['https://a.social/', 'https://a.social/film.mp4'])
  const urls = [
    'https://a.social/',
    'https://a.social/film.mp4',
    'https://a.social/new.pdf',
    'chain://a',
    'a"\\,{}',
  ]
  const pending = { _status: 'PENDING', content_type: null, content_length: null }
  expect([...(await metadataOf(counted, urls))]).toEqual([
    ['https://a.social/', { kind: null, metadata: pending }],
    ['https://a.social/film.mp4', { kind: 'video/mp4', metadata: pending }],
    ['https://a.social/new.pdf', { kind: 'application/pdf', metadata: undefined }],
    ['chain://a', { kind: null, metadata: undefined }],
    ['a"\\,{}', { kind: null, metadata: undefined }],
  ])
  expect(statements).toHaveLength(1)
  expect(await metadataOf(counted, [])).toEqual(new Map())
  expect(statements).toHaveLength(1)
})
