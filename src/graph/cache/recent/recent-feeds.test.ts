import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { eventId } from '../../../hub/log/hub-event.js'
import type { Database } from '../../../platform/db/connection.js'
import { silentLog } from '../../../platform/log/log.js'
import { HubEventType, ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { Hydrator } from '../hydrator.js'
import { fillWindow, joinPart, startWindowLoader } from './window-loader.js'

const { db, connect } = await createTestDatabase()
const alice = new TestUser(1)
const cast = alice.cast('a cast', testNow - 10)
const hash = cast.hash.toString('hex')
const DAY_MS = 86_400_000
const page = { before: null, count: 5 }
const following = { fid: 1, recasts: true }
const author = { fids: [1], casts: 'all', recasts: true } as const

beforeEach(async () => {
  await db`truncate social.reactions, social.follows, social.casts, social.users, social.user_counts cascade`
  await db`delete from hub.shards`
  await db`insert into hub.shards (shard, height) values (1, 0)`
  await db`
    insert into social.users (fid, custody_address, registered_at) values (1, '', 0), (2, '', 0)`
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    values (${cast.hash}, 1, ${cast.data.timestamp}, '', ${cast.hash}, '[]', '{}', '{}', '')`
  for (const ts of [testNow - 3 * 86_400, testNow - 20]) {
    const target = new TestUser(2).cast(`cast ${ts}`, ts).hash
    await db`
      insert into social.reactions ${db({ fid: 2, type: 1, target_hash: target, target_fid: 2, ts, signer: Buffer.alloc(0) })}`
  }
})

const fixedClock = () => testNowUnix * 1000

function createProcess(
  maxRecentEntries = 1000,
  maxViewerSetsBytes = 1e6,
  { pool = db as Database, clock = fixedClock } = {},
) {
  const reads: string[] = []
  const hydrator = new Hydrator({
    db: pool,
    clock,
    locationOf: () => null,
    maxViews: 0,
    maxViewerSetsBytes,
    maxRecentEntries,
    onFeedRead: (feed, reason) => reads.push(`${feed} ${reason}`),
  })
  const { blocks } = hydrator.invalidation
  blocks.start(new Map([[1, 0]]))
  const { window, recent } = hydrator
  const parts = { db: db as Database, blocks, window, clock, log: silentLog }
  return { reads, blocks, window, recent, parts }
}

const neverStopped = new AbortController().signal
const block = (height: number, message: SignedMessage) => [
  {
    shard: 1,
    id: eventId(height, 0),
    body: { type: HubEventType.MERGE_MESSAGE as const, message, deletedMessages: [] },
  },
]

test('a feed that the window cannot say is read from the tables, for a reason', async () => {
  const off = createProcess(0)
  expect(await off.recent.author(author, page)).toBeNull()
  const { reads, blocks, recent, parts } = createProcess()
  expect(await recent.author(author, page)).toBeNull()
  await fillWindow(parts, neverStopped)
  expect((await recent.author(author, page))?.map((row) => [row.hash, row.isShown])).toEqual([[hash, true]])
  const before = { ts: testNow, hash: 'ff'.repeat(20) }
  expect(await recent.author(author, { ...page, before })).toBeNull()
  expect(await recent.following(following, { ...page, before })).toBeNull()
  expect(await recent.author({ ...author, recasts: false }, { ...page, before })).toHaveLength(1)
  expect(await recent.author({ ...author, parentUrl: 'https://example.com/' } as never, page)).toBeNull()
  expect(await recent.author({ ...author, parentUrl: undefined } as never, page)).toHaveLength(1)
  const ranking = { ts: testNow, count: 5 }
  expect(await recent.trending({ seconds: 3_600, channelId: 'gardens' }, ranking)).toBeNull()
  expect(await recent.trending({ seconds: 3_600, parentUrl: 'https://example.com/' }, ranking)).toBeNull()
  expect(await recent.trending({ seconds: 3_600 }, ranking)).toEqual([])
  expect(await recent.forYou(1, { ...ranking, after: null })).toEqual([])
  expect(await recent.following(following, page)).toEqual([])
  // Another process merged the first block.
  blocks.commit(block(2, cast))
  expect(await recent.author(author, page)).toBeNull()
  expect([...off.reads, ...reads]).toEqual([
    'author off',
    'author filling',
    'author null',
    'author later_page',
    'following later_page',
    'author null',
    'author selection',
    'author null',
    'trending selection',
    'trending selection',
    'trending null',
    'for_you null',
    'following null',
    'author behind',
  ])
})

test('the feeds of a user with too many relations, and of such a viewer, are read from the tables', async () => {
  await db`insert into social.user_counts (fid, follower_count) values (2, 50001)`
  const { reads, recent, parts } = createProcess()
  await fillWindow(parts, neverStopped)
  const ranking = { ts: testNow, count: 5, after: null }
  expect(await recent.following({ ...following, fid: 2 }, page)).toBeNull()
  expect(await recent.forYou(2, ranking)).toBeNull()
  expect(await recent.author(author, { ...page, viewerFid: 2 })).toBeNull()
  expect(await recent.forYou(1, { ...ranking, viewerFid: 2 })).toBeNull()
  expect(new Set(reads.map((read) => read.split(' ')[1]))).toEqual(new Set(['large_user']))
  const shown = await recent.author(author, { ...page, viewerFid: 1, banned: new Set([2]) })
  expect(shown).toHaveLength(1)
  expect(await recent.author(author, { ...page, viewerFid: 1, banned: new Set([1]) })).toEqual([])
  expect(await recent.author(author, { ...page, banned: new Set([1]) })).toEqual([])
})

test('a position that is lost while a feed waits for the sets of its user -> the tables', async () => {
  const { reads, blocks, recent, parts } = createProcess()
  await fillWindow(parts, neverStopped)
  const reading = recent.following(following, page)
  blocks.lose()
  expect(await reading).toBeNull()
  expect(reads).toHaveLength(1)
})

test('the loader fills the window, also after a failure, and drops the likes of four days ago', async () => {
  // More than one part has, and more than go at once.
  await db`
    insert into social.reactions (fid, type, target_hash, target_fid, ts, signer)
    select 1 + n % 2, 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1, ${testNow - 3 * 86_400} + n % 60, ''
    from generate_series(1, 9000) as n`
  const { window, parts } = createProcess(50_000)
  let now = testNowUnix * 1000
  let statements = 0
  let isAway = false
  const warnings: string[] = []
  const failing = new Proxy(db, {
    apply(target, self, statement) {
      statements += 1
      // The first asks for the time, the next two for a part.
      if (isAway || statements === 2 || statements === 3) throw new Error('away')
      return Reflect.apply(target, self, statement)
    },
  })
  const note = (_fields: object, text: string) => warnings.push(text)
  const log = { ...silentLog, warn: note, info: note } as never
  const stop = startWindowLoader({ ...parts, db: failing, log, clock: () => now })
  onTestFinished(stop)
  await expect.poll(() => window.isFilled).toBe(true)
  await expect
    .poll(() => warnings)
    .toEqual([
      expect.stringContaining('the window of recent casts cannot be filled'),
      'the window of recent casts is filled again',
    ])
  expect([window.timeline.length, window.entries.size]).toEqual([1, 9_003])
  // A window that is full needs no database, also when the clock is to be measured again.
  isAway = true
  now += 2 * DAY_MS
  await expect.poll(() => window.entries.size).toBe(2)
  now += 2 * DAY_MS
  await expect.poll(() => window.entries.size).toBe(1)
  expect(warnings).toHaveLength(2)
  await stop()
  window.reset()
  await stop()
  expect(window.isFilled).toBe(false)
})

test('a part whose window begins again, or whose load is stopped, is not joined', async () => {
  const { blocks, window, parts } = createProcess()
  const part = { kind: 'feed', since: 0, until: Infinity, casts: [], recasts: [] } as const
  const read = (height: number) => async () => ({
    part,
    heights: new Map([[1, height]]),
  })
  const joining = joinPart(parts, read(1), neverStopped)
  window.reset()
  blocks.commit(block(1, cast))
  expect(await joining).toBe(false)
  expect(await joinPart(parts, read(2), AbortSignal.abort())).toBe(false)
  const later = joinPart(parts, read(2), neverStopped)
  blocks.commit(block(2, alice.cast('another', testNow)))
  expect(await later).toBe(true)
  expect([window.since, window.timeline.length]).toEqual([0, 0])
})

test('a recast of a cast that came since the window was filled is asked about once', async () => {
  const statements: string[] = []
  const counting = connect({ onStatement: (text) => statements.push(text) })
  const bob = new TestUser(2)
  for (let n = 0; n < 40; n += 1) {
    const { hash: old, data } = bob.cast(`old ${n}`, testNow - 1_000 - n)
    await db`
      insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
      values (${old}, 2, ${data.timestamp}, '', ${old}, '[]', '{}', '{}', '')`
  }
  const { window, blocks, recent, parts } = createProcess(10, 1e6, {
    pool: counting,
    // Recasts count from when they were stored.
    clock: () => fixedClock() + performance.now(),
  })
  await fillWindow(parts, neverStopped)
  expect(window.since).toBeGreaterThan(0)
  const [newest, recast] = [
    alice.cast('newest', testNow),
    bob.react(alice.cast('newest', testNow), testNow + 1, { type: ReactionType.RECAST }),
  ]
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    values (${newest.hash}, 1, ${testNow}, '', ${newest.hash}, '[]', '{}', '{}', '')`
  await db`
    insert into social.reactions ${db({ fid: 2, type: 2, target_hash: newest.hash, target_fid: 1, ts: testNow + 1, signer: Buffer.alloc(0) })}`
  await db`insert into social.cast_counts (hash, fid, recasts) values (${newest.hash}, 1, 1)`
  await db`update hub.shards set height = 2`
  blocks.commit(block(1, newest))
  blocks.commit(block(2, recast))
  const read = async () =>
    (await recent.author({ ...author, fids: [2] }, { ...page, count: 1 }))?.map((row) => row.isShown)
  expect(await read()).toEqual([true])
  await expect.poll(() => window.hasCounts(window.table.find(newest.hash))).toBe(true)
  statements.length = 0
  expect(await read()).toEqual([true])
  expect(statements).toEqual([])
})

test('first pages are equal until a recast is stored, and later pages count the recasts that they counted', async () => {
  const { blocks, recent, parts } = createProcess(1000, 1e6, {
    clock: () => fixedClock() + performance.now(),
  })
  await fillWindow(parts, neverStopped)
  const read = () => recent.author(author, page)
  const first = await read()
  expect(await read()).toEqual(first)
  blocks.commit(block(1, new TestUser(2).cast('of somebody else', testNow)))
  expect(await read()).toEqual(first)
  const recasted = new TestUser(2).cast('recasted', testNow)
  const [stored] = await db<{ micros: number }[]>`
    insert into social.reactions ${db({ fid: 1, type: 2, target_hash: recasted.hash, target_fid: 2, ts: testNow, signer: Buffer.alloc(0) })}
    returning (extract(epoch from merged_at) * 1000000)::bigint as micros`
  // Nothing that this process has not heard of is on the page, or claimed by its cursor.
  expect(await read()).toEqual(first)
  blocks.commit(block(2, alice.react(recasted, testNow, { type: ReactionType.RECAST })))
  const [newest] = (await read())!
  expect(newest!.recastsUntilMicros).toBeGreaterThanOrEqual(stored!.micros)
  expect(newest!.recastsUntilMicros).toBeGreaterThan(first![0]!.recastsUntilMicros)
  expect(await read()).toMatchObject([newest, { hash }])
})

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])('the clock of the server is set %s -> later pages count the last recast all the same', async (_, byMs) => {
  let setMs = 0
  const { blocks, recent, parts } = createProcess(1000, 1e6, {
    clock: () => fixedClock() + performance.now() + setMs,
  })
  await fillWindow(parts, neverStopped)
  setMs = byMs
  blocks.commit(
    block(1, alice.react(new TestUser(2).cast('recasted', testNow), testNow, { type: ReactionType.RECAST })),
  )
  // An answer that came late does not count: the loader asks again.
  const difference = async () => {
    await fillWindow(parts, neverStopped)
    const [row] = (await recent.author(author, page))!
    const [stored] = await db<{ micros: number }[]>`
      select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros`
    return Math.abs(row!.recastsUntilMicros - stored!.micros)
  }
  await expect.poll(difference).toBeLessThan(1_800_000_000)
})
