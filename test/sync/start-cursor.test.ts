import { beforeEach, expect, test } from 'vitest'
import { blockOf, eventId } from '../../src/hub/log/hub-event.js'
import { createUpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import {
  findStartCursor,
  ignoreOtherCursors,
  initializeCursors,
  saveCursor,
  syncedUntil,
} from '../../src/hub/sync/follow/cursors.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow, testNowUnix } from '../network.js'

const BLOCKS = 40
/** Time between blocks of the log. */
const APART_SECONDS = 300
const OTHER = 'other.example:3383'
let now = testNowUnix
const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db, { clock: () => now * 1000 })
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const client = createUpstreamClient(server.address, { tls: false, headers: new Map() })
const { db } = await createTestDatabase()
const user = new TestUser(1)
await upstreamHub.submitOnChainEvents(user.onChain())
const firstBlock = blockOf((await a.db<{ id: number }[]>`select max(id) as id from hub.events`)[0]!.id)
for (let n = 1; n <= BLOCKS; n += 1) {
  now = testNowUnix + n * APART_SECONDS
  await upstreamHub.submit([user.cast(`${n}`, testNow + n)])
}

type EventRange = Parameters<typeof client.events>[0]

/** Time of a block in Farcaster seconds, counted from the first one. */
const madeAt = (block: number) => testNow + (block - firstBlock) * APART_SECONDS
const start = () => findStartCursor(db, client, 1, new AbortController().signal)

beforeEach(async () => {
  await db`truncate sync.cursors`
})

test('a sync that returns to an upstream starts where it left another one', async () => {
  const left = firstBlock + 3
  await saveCursor(db, server.address, 1, { nextId: eventId(left + 1, 0), blockTime: madeAt(left) })
  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + 30) })
  const { fromId, gap } = await start()
  expect(blockOf(fromId)).toBe(firstBlock + 30)
  expect(gap).toBeUndefined()
})

test('a start that is found by time is merged up to that time, less a minute', async () => {
  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + 30) })
  expect((await start()).blockTime).toBe(madeAt(firstBlock + 30) - 60)
})

test('a block from the future -> it is saved as one of now, and a saved one counts as one of now', async () => {
  const future = farcasterSecondsFromUnixMs(Date.now()) + 100_000
  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: future })
  const times = () => db<{ time: number }[]>`select block_time as time from sync.cursors`
  const [saved] = await times()
  expect(saved!.time).toBeLessThan(future - 90_000)
  await db`update sync.cursors set block_time = ${future}`
  expect(await syncedUntil(db)).toBeLessThan(future - 90_000)
})

test('another upstream was followed beyond the last block -> a gap is logged, and the last blocks are read', async () => {
  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + BLOCKS) + 61 })
  const { nextId, fromId, gap, blockTime } = await start()
  expect([blockOf(nextId), blockOf(fromId)]).toEqual([firstBlock + BLOCKS + 1, firstBlock + BLOCKS + 1 - 8])
  expect(gap).toEqual({ from: fromId, to: nextId })
  expect(blockTime).toBe(madeAt(firstBlock + BLOCKS))
})

test('a start at the end of the log is merged up to its last block', async () => {
  expect((await start()).blockTime).toBe(madeAt(firstBlock + BLOCKS))
})

test('cursors are initialized once, at the end of the log', async () => {
  const { signal } = new AbortController()
  const rows = async () => [
    ...(await db`select next_id::float8 as id, block_time::float8 as time from sync.cursors`),
  ]
  await initializeCursors(db, client, { signal })
  const initialized = await rows()
  expect(initialized).toEqual([
    { id: eventId(firstBlock + BLOCKS + 1, 0), time: madeAt(firstBlock + BLOCKS) },
  ])
  await initializeCursors(db, client, { signal })
  expect(await rows()).toEqual(initialized)
})

test('a shard that did not follow while another one did -> it starts where it was left, at each upstream', async () => {
  const left = firstBlock + 10
  const own = eventId(left + 1, 0)
  for (const shard of [1, 2]) await saveCursor(db, OTHER, shard, { nextId: own, blockTime: madeAt(left) })
  // Both shards of the second upstream start, and the first of them reaches the end.
  const twoShards = { ...client, events: (range: EventRange) => client.events({ ...range, shard: 1 }) }
  const signal = new AbortController().signal
  for (const shard of [1, 2])
    await saveCursor(db, client.address, shard, await findStartCursor(db, twoShards, shard, signal))
  const end = { nextId: eventId(firstBlock + BLOCKS + 1, 0), blockTime: madeAt(firstBlock + BLOCKS) }
  await saveCursor(db, client.address, 1, end)

  const back = await findStartCursor(db, { ...twoShards, address: OTHER }, 2, signal)
  expect(back.nextId).toBe(own)
  const third = await findStartCursor(db, { ...twoShards, address: 'third.example:3383' }, 2, signal)
  expect(blockOf(third.nextId)).toBe(left)
})

test('a shard that the upstream no longer has does not hold back the time up to which it is merged', async () => {
  for (const [shard, block] of [
    [1, 30],
    [2, 3],
  ] as const)
    await saveCursor(db, OTHER, shard, { nextId: 77, blockTime: madeAt(firstBlock + block) })
  await ignoreOtherCursors(db, OTHER, [1])
  expect(blockOf((await start()).fromId)).toBe(firstBlock + 30)
  const [gone] = await db`select next_id from sync.cursors where upstream = ${OTHER} and shard = 2`
  expect(gone).toEqual({ next_id: 77 })
})

test('it never starts before its own cursor', async () => {
  const blockMerged = eventId(firstBlock + 31, 0)
  await saveCursor(db, server.address, 1, { nextId: blockMerged, blockTime: madeAt(firstBlock + 30) })
  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + 20) })
  expect((await start()).nextId).toBe(blockMerged)
})

const endBlock = firstBlock + BLOCKS

/** A cursor so many blocks after the end of the log. */
const saveCursorBehindEnd = (blocks: number) =>
  saveCursor(db, server.address, 1, {
    nextId: eventId(endBlock + 1 + blocks, 0),
    blockTime: madeAt(endBlock + blocks),
  })

test.each([1, 8])('an upstream that is %i blocks behind the cursor keeps its log', async (blocks) => {
  await saveCursorBehindEnd(blocks)
  const { nextId, fromId, gap, isNewLog } = await start()
  expect(nextId).toBe(eventId(endBlock + 1 + blocks, 0))
  // Its next events are read.
  expect(blockOf(fromId)).toBeLessThanOrEqual(endBlock + 1)
  expect([gap, isNewLog]).toEqual([undefined, undefined])
})

test('a log that ends far before the cursor at a second look as well is a new one', async () => {
  await saveCursorBehindEnd(9)
  const { nextId, blockTime, gap, isNewLog } = await start()
  expect(isNewLog).toBe(true)
  expect(blockTime).toBe(madeAt(endBlock + 9))
  expect(gap).toEqual({ from: eventId(endBlock + 10, 0), to: nextId })
})

test('a balancer whose second answer is from another node -> the log is the same', async () => {
  await saveCursorBehindEnd(0)
  let looks = 0
  const events: typeof client.events = async (range, signal) => {
    if (!range.reverse || looks++ > 0) return await client.events(range, signal)
    return await client.events({ ...range, stop: eventId(firstBlock + 2, 0) }, signal)
  }
  const found = await findStartCursor(db, { ...client, events }, 1, new AbortController().signal)
  expect([found.nextId, found.isNewLog]).toEqual([eventId(endBlock + 1, 0), undefined])
  expect(looks).toBe(2)
})

test('an upstream without any event keeps the cursor', async () => {
  await saveCursorBehindEnd(0)
  const empty = { ...client, events: async () => [] }
  const { nextId, fromId, gap } = await findStartCursor(db, empty, 1, new AbortController().signal)
  expect(nextId).toBe(eventId(endBlock + 1, 0))
  expect(blockOf(fromId)).toBe(endBlock + 1 - 8)
  expect(gap).toBeUndefined()
})

/** Lets the upstream drop the events of the first ten blocks. Returns the first id that it keeps. */
async function dropFirstEvents(): Promise<number> {
  const kept = eventId(firstBlock + 10, 0)
  await a.db`delete from hub.events where id < ${kept}`
  await a.db`update hub.shards set first_retained_id = ${kept}`
  return kept
}

test('events that the upstream dropped before that time -> a gap is logged', async () => {
  const kept = await dropFirstEvents()
  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + 5) })
  const { fromId, gap } = await start()
  expect(fromId).toBe(kept)
  expect(gap).toBeDefined()

  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + 20) })
  expect((await start()).gap).toBeUndefined()
  const blockTime = madeAt(firstBlock + 1)
  await saveCursor(db, server.address, 1, { nextId: eventId(firstBlock + 2, 0), blockTime })
  expect((await start()).gap).toBeUndefined()

  // Without another upstream there is a gap, and what is merged before it is as old as it was.
  await db`delete from sync.cursors where upstream = ${OTHER}`
  const afterGap = await start()
  expect(afterGap).toMatchObject({ nextId: kept, blockTime })
  expect(afterGap.gap).toBeDefined()
})

test('cursors of another upstream that begin with a gap -> every user is compared, also a fetched one', async () => {
  const kept = await dropFirstEvents()
  const hub = await createTestHub(db)
  await hub.submitOnChainEvents(user.onChain())
  await db`insert into sync.fids (fid, backfilled_at) values (${user.fid}, now())`
  const reasons = () => db`select reconcile_reason as reason from sync.fids`
  const { signal } = new AbortController()

  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + 20) })
  expect(await initializeCursors(db, client, { signal })).toEqual({ hasGap: false })
  expect(await reasons()).toEqual([{ reason: null }])

  await db`truncate sync.cursors`
  await saveCursor(db, OTHER, 1, { nextId: 77, blockTime: madeAt(firstBlock + 5) })
  expect(await initializeCursors(db, client, { signal })).toEqual({ hasGap: true })
  expect(await reasons()).toEqual([{ reason: 'a gap in the log of the upstream' }])
  // The sync that starts later does not see the gap.
  expect(await start()).toMatchObject({ nextId: kept, fromId: kept })
  expect((await start()).gap).toBeUndefined()
})
