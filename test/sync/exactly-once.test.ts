import { expect, it } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { hubSnapshot, mergedHashes } from './hub-snapshot.js'
import { startTestSync } from './test-sync.js'

/** Casts that one unit of storage allows. */
const ROOM = 100
const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db, { shards: 2 })
const { server } = await openHubGrpc(a.db, { hub: upstreamHub, config: { shards: 2 } })
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db, { shards: 3 })
const c = await createTestDatabase({ poolSize: 8 })
const third = await createTestHub(c.db, { shards: 3 })
const users = [1, 2, 3, 4, 5].map((fid) => new TestUser(fid))

/** Full sets, then messages without room, and messages that displace the lowest. */
async function fillUpstream(): Promise<void> {
  await upstreamHub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 1 })))
  await upstreamHub.submitNameTransfers(
    users.map(({ fid }) => nameTransfer(`user-${fid}`, fid, testNowUnix - 500)),
  )
  await upstreamHub.submit(
    users.flatMap((user) => Array.from({ length: ROOM }, (_, n) => user.cast(`${n}`, testNow - 900 + n))),
  )
  await upstreamHub.submit(users.map((user) => user.cast('too old', testNow - 1000)))
  await upstreamHub.submit(users.map((user) => user.cast('one more', testNow - 10)))
}

/** Rents storage with room for all of them again. */
async function rentMore(): Promise<void> {
  await upstreamHub.submitOnChainEvents(
    users.slice(0, 2).map((user) => user.storageRentEvent(1, user.fid * 100 + 50)),
  )
}

async function expectSame(): Promise<void> {
  const wanted = await hubSnapshot(a.db)
  await expect.poll(async () => (await hubSnapshot(db)) === wanted, { interval: 200 }).toBe(true)
}

/** A hub that dies after a merge, before it can answer, from the moment that `isTime` returns. */
function dyingHub(times: number, isTime: () => Promise<boolean>): { hub: Hub; deaths: () => number } {
  let deaths = 0
  async function dieAfter<T>(work: Promise<T>): Promise<T> {
    const result = await work
    // Checked first: of two concurrent calls only one may be the last to die.
    if ((await isTime()) && deaths < times) {
      deaths += 1
      throw new Error('died')
    }
    return result
  }
  return {
    hub: {
      ...hub,
      submitItems: (...given) => dieAfter(hub.submitItems(...given)),
    },
    deaths: () => deaths,
  }
}

it('another upstream with other ids repeats nothing', async () => {
  await fillUpstream()
  const [first, second] = [await startTcpProxy(server.address), await startTcpProxy(server.address)]
  await c.db`insert into sync.cursors select ${first.address}, shard, 0, 0 from generate_series(1, 2) shard`
  const { metrics } = startTestSync(c.db, third, { addresses: [first.address, second.address] })
  const wanted = await hubSnapshot(a.db)
  const isSame = async () => (await hubSnapshot(c.db)) === wanted
  await expect.poll(isSame, { interval: 200 }).toBe(true)
  const merged = await mergedHashes(c.db)
  expect(merged).toEqual(await mergedHashes(a.db))

  first.target = '127.0.0.1:1'
  first.cut()
  // The whole log is of the last minute by its clock, and is read again.
  await expect.poll(() => metrics.items.duplicate ?? 0).toBeGreaterThan(users.length * ROOM)
  const last = users.map((user) => user.cast('after all', testNow - 3))
  await upstreamHub.submit(last)
  const hasLast = async () => {
    const known = new Set(await mergedHashes(c.db))
    return last.every(({ hash }) => known.has(hash.toString('hex')))
  }
  await expect.poll(hasLast, { interval: 200 }).toBe(true)
  const now = await mergedHashes(c.db)
  expect(now.length).toBe(new Set(now).size)
})

it('a process that dies between merge and cursor repeats nothing, with and without room', async () => {
  await db`insert into sync.cursors select ${server.address}, shard, 0, 0 from generate_series(1, 2) shard`
  await rentMore()
  const wanted = await mergedHashes(a.db)
  const dying = dyingHub(4, async () => (await mergedHashes(db)).length >= wanted.length)
  const { metrics } = startTestSync(db, dying.hub, { addresses: [server.address], clock: () => 0 })
  await expect.poll(dying.deaths).toBe(4)

  const last = users.map((user) => user.cast('last', testNow - 5))
  await upstreamHub.submit(last)
  await expectSame()
  expect(await mergedHashes(db)).toEqual(await mergedHashes(a.db))
  // Merged items are counted a moment later.
  await expect.poll(() => metrics.items.duplicate).toBeGreaterThan(0)
})

it('applied offsets that are no longer needed are deleted', async () => {
  startTestSync(db, hub, { addresses: [server.address] })
  const rows = async () => (await db`select 1 from hub.applied_offsets`).length
  for (let n = 0; n < 30; n += 1)
    await upstreamHub.submit(users.map((user) => user.cast(`then ${n}`, testNow - 4)))
  await expectSame()
  // Offsets of the last blocks of two shards remain, each in at most three of ours.
  await expect.poll(rows, { interval: 200 }).toBeLessThan(60)
})
