import { expect, it } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { backfill } from '../../src/hub/sync/backfill/backfill.js'
import { countFids, listFids } from '../../src/hub/sync/backfill/fid-list.js'
import { openUpstreams, type Upstreams } from '../../src/hub/sync/client/upstreams.js'
import { initializeCursors } from '../../src/hub/sync/follow/cursors.js'
import { reconcile } from '../../src/hub/sync/reconcile/reconcile.js'
import { addUnlistedFids } from '../../src/hub/sync/reconcile/reconcile-queries.js'
import type { Database } from '../../src/platform/db/connection.js'
import { SignerEventType, StorageUnitType, UserDataType } from '../../src/protocol/definitions.js'
import { channelRegistration, channelTransfer } from '../channel-events.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { hubSnapshot, mergedHashes } from './hub-snapshot.js'
import { startTestSync } from './test-sync.js'

const LOAN_AGE_SECONDS = 3 * 86_400
const FOUR_YEARS_SECONDS = 4 * 365 * 86_400
const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db, { shards: 2 })
const { server } = await openHubGrpc(a.db, { hub: upstreamHub, config: { shards: 2 } })
const users = Array.from({ length: 12 }, (_, index) => new TestUser(index + 1))
await fillUpstream()

const followers = await Promise.all(
  Array.from({ length: 4 }, async () => {
    const { db } = await createTestDatabase({ poolSize: 8 })
    return { db, hub: await createTestHub(db) }
  }),
)

/** A network with messages in every set, some of which only merge as historical ones. */
async function fillUpstream(): Promise<void> {
  await upstreamHub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 3 })))
  await upstreamHub.submitOnChainEvents([
    channelTransfer('gardens', users[0]!.custody, { block: 70_000 }),
    channelRegistration('gardens', users[0]!.custody, { block: 70_000, logIndex: 1 }),
  ])
  await upstreamHub.submitNameTransfers(
    users.map(({ fid }) => nameTransfer(`user-${fid}`, fid, testNowUnix - 500)),
  )
  const messages = users.flatMap((user, index) => {
    const other = users[(index + 1) % users.length]!
    const casts = Array.from({ length: 12 }, (_, n) => user.cast(`${n}`, testNow - 5000 + n))
    return [
      ...casts,
      user.removeCast(casts[3]!.hash, testNow - 900),
      ...casts.map((cast, n) => other.react(cast, testNow - 800 + n)),
      other.react(casts[5]!, testNow - 10, { remove: true }),
      ...users.slice(0, 10).map(({ fid }, n) => user.link(fid, testNow - 700 + n)),
      user.userData(UserDataType.USERNAME, `user-${user.fid}`, testNow - 600),
      user.userData(UserDataType.BIO, `bio of ${user.fid}`, testNow - 600),
    ]
  })
  await upstreamHub.submit(messages)
  await upstreamHub.submit(users.slice(0, 5).map((user) => user.compactLinks([1, 2, 3], testNow - 500)))
  const daysAgo = await createTestHub(a.db, {
    shards: 2,
    clock: () => (testNowUnix - LOAN_AGE_SECONDS) * 1000,
  })
  await daysAgo.submit([
    users[0]!.lendStorage(2, 1, StorageUnitType.UNIT_TYPE_2025, testNow - LOAN_AGE_SECONDS),
  ])
  // Keys that are removed and storage that has expired.
  const old = testNowUnix - FOUR_YEARS_SECONDS
  const past = new TestUser(500)
  const then = await createTestHub(a.db, { shards: 2, clock: () => (old + 100) * 1000 })
  await then.submitOnChainEvents([
    past.registered(),
    past.signerEvent(SignerEventType.ADD),
    past.storageRentEvent(1, 50_002, old),
  ])
  await then.submit(
    Array.from({ length: 30 }, (_, n) => past.cast(`past ${n}`, testNow - FOUR_YEARS_SECONDS + n)),
  )
  await upstreamHub.submitOnChainEvents([
    past.signerEvent(SignerEventType.REMOVE, 60_000),
    users[7]!.signerEvent(SignerEventType.REMOVE, 60_000),
  ])
}

function open(address: string): Upstreams {
  return openUpstreams({ addresses: [address], tls: false, headers: new Map(), trusted: false })
}

interface Follower {
  readonly db: Database
  readonly hub: Hub
}

function run(
  { db, hub }: Follower,
  upstreams: Upstreams,
  stop = new AbortController(),
  stopAfterFids?: number,
) {
  return backfill({
    db,
    upstreams,
    hub,
    trusted: false,
    concurrency: 4,
    batchSize: 60,
    signal: stop.signal,
    onProgress: (fids) => {
      if (stopAfterFids !== undefined && fids >= stopAfterFids) stop.abort()
    },
  })
}

async function list({ db }: Follower, upstreams: Upstreams): Promise<void> {
  const signal = new AbortController().signal
  await upstreams.request((client) => initializeCursors(db, client, { signal }))
  await listFids(db, upstreams, signal)
}

/** Everything that the upstream stores was merged here, once. */
async function expectSame({ db }: Follower): Promise<void> {
  await expect.poll(() => hubSnapshot(db), { interval: 200 }).toBe(await hubSnapshot(a.db))
  const hashes = await mergedHashes(db)
  expect(new Set(hashes).size).toBe(hashes.length)
}

it('a backfill copies everything that the upstream stores, historical messages too', async () => {
  const follower = followers[0]!
  const upstreams = open(server.address)
  await list(follower, upstreams)
  const { fids, tally, isComplete } = await run(follower, upstreams)
  expect({ fids, isComplete, refused: [...tally.refused] }).toEqual({
    fids: 13,
    isComplete: true,
    refused: [],
  })
  await expectSame(follower)
  expect(await countFids(follower.db)).toEqual({ remaining: 0, fetched: 13 })
  upstreams.close()
})

it('a backfill that is stopped anywhere, over failing connections, resumes', async () => {
  const follower = followers[1]!
  const proxy = await startTcpProxy(server.address)
  const upstreams = open(proxy.address)
  await list(follower, upstreams)
  let isComplete = false
  let runs = 0
  while (!isComplete) {
    runs += 1
    proxy.truncateAfter(8_000 * runs)
    isComplete = (await run(follower, upstreams, new AbortController(), 2)).isComplete
    if (runs % 2 === 0) proxy.cut()
  }
  expect(runs).toBeGreaterThan(1)
  await expectSame(follower)
  upstreams.close()
})

it('the sync copies what happens during a backfill', async () => {
  const follower = followers[2]!
  const upstreams = open(server.address)
  await list(follower, upstreams)
  startTestSync(follower.db, follower.hub, { addresses: [server.address], reconcileWith: upstreams })
  const writing = (async () => {
    const newcomer = new TestUser(600)
    await upstreamHub.submitOnChainEvents(newcomer.onChain())
    for (let n = 0; n < 20; n += 1) {
      const user = users[(n * 7) % users.length]!
      if (user.fid === 8) continue
      const cast = user.cast(`meanwhile ${n}`, testNow - 300 + n)
      await upstreamHub.submit([
        cast,
        newcomer.react(cast, testNow - 200 + n),
        newcomer.link(user.fid, testNow - 100),
      ])
    }
  })()
  await run(follower, upstreams)
  await writing
  await expectSame(follower)
  upstreams.close()
})

it('reconcile finds what is missing on either side, reports reasons and repairs it', async () => {
  const follower = followers[3]!
  const { db, hub } = follower
  const upstreams = open(server.address)
  await list(follower, upstreams)
  await run(follower, upstreams)
  // Rows that were lost, and a message that was never sent upstream.
  const lost = await db`delete from hub.messages where fid in (3, 4) and set = 1 returning fid`
  const lostOf = (fid: number) => lost.filter((row) => row.fid === fid).length
  await db`update hub.set_counts set count = 0 where fid in (3, 4) and set = 1`
  await db`update sync.fids set reconcile_reason = 'a gap', queued_at = now() where fid = 3`
  const local = users[9]!.cast('only here', testNow - 5)
  await hub.submit([local])
  await addUnlistedFids(db)
  const options = {
    db,
    upstreams,
    hub,
    trusted: false,
    fids: null,
    concurrency: 3,
    clock: Date.now,
    signal: new AbortController().signal,
  }
  const first = await reconcile({ ...options, extra: 'keep' })
  expect(Object.fromEntries(first.missing)).toEqual({ casts: lost.length })
  expect(first.repaired).toBe(lost.length)
  expect(Object.fromEntries(first.reasons)).toEqual({
    'a gap': { users: 1, missing: lostOf(3) },
    'not known': { users: 1, missing: lostOf(4) },
  })
  expect(Object.fromEntries(first.extra)).toEqual({ casts: 1 })
  // What the upstream lacks may be on its way to it.
  await db`insert into hub.outgoing_messages (fid, message) values (${local.data.fid}, ''::bytea)`
  await reconcile({ ...options, extra: 'remove' })
  expect(await db`select from hub.messages where hash = ${local.hash}`).toHaveLength(1)
  await db`delete from hub.outgoing_messages`
  const second = await reconcile({ ...options, extra: 'remove' })
  expect(second.missing.size).toBe(0)
  expect(await hubSnapshot(db)).toBe(await hubSnapshot(a.db))
  await hub.submit([local])
  await reconcile({ ...options, extra: 'send' })
  expect(await hubSnapshot(db)).toBe(await hubSnapshot(a.db))
  upstreams.close()
})
