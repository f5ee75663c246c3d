import { expect, it } from 'vitest'
import { channelRegistration } from '../channel-events.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { shuffleEvents, startGrpcProxy } from './grpc-proxy.js'
import { hubSnapshot, mergedHashes } from './hub-snapshot.js'
import { startTestSync } from './test-sync.js'

const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db, { shards: 2 })
const { server } = await openHubGrpc(a.db, { hub: upstreamHub, config: { shards: 2 } })

/** Users of one test, unknown elsewhere. */
let nextFid = 1
function newUsers(count: number): TestUser[] {
  return Array.from({ length: count }, () => new TestUser(nextFid++))
}

/** A syncing server: its database and a hub with its own number of shards. */
async function openFollower() {
  const { db } = await createTestDatabase({ poolSize: 8 })
  return { db, hub: await createTestHub(db, { shards: 3 }) }
}
const followers = await Promise.all(Array.from({ length: 8 }, openFollower))
function nextFollower() {
  const follower = followers.pop()
  if (!follower) throw new Error('open one more')
  return follower
}

let casts = 0
/** Messages of every kind, each in its own second. */
async function write(users: readonly TestUser[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    casts += 1
    const [one, other] = [users[casts % users.length]!, users[(casts + 1) % users.length]!]
    const at = testNow - 50_000 + casts * 10
    const cast = one.cast(`${casts}`, at)
    const second = other.cast(`again ${casts}`, at)
    await upstreamHub.submit([cast, second, other.react(cast, at + 1), other.link(one.fid, at + 1)])
    if (casts % 3 === 0) await upstreamHub.submit([other.react(cast, at + 2, { remove: true })])
    if (casts % 4 === 0) await upstreamHub.submit([other.removeCast(second.hash, at + 3)])
    if (casts % 7 === 0) await upstreamHub.submit([other.compactLinks([one.fid], at + 4)])
  }
}

async function register(users: readonly TestUser[]): Promise<void> {
  await upstreamHub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 10 })))
  await upstreamHub.submitOnChainEvents(
    users.map(({ fid, custody }) => channelRegistration(`channel-${fid}`, custody, { block: 90_000 + fid })),
  )
  const names = users.map(({ fid }) => nameTransfer(`user-${fid}`, fid, testNowUnix - 1000))
  await upstreamHub.submitNameTransfers(names)
}

/** Once the upstream is idle, both store the same. */
async function expectSame(db: (typeof followers)[number]['db']): Promise<void> {
  await expect.poll(() => hubSnapshot(db), { interval: 200 }).toBe(await hubSnapshot(a.db))
}

async function countMessages(db: (typeof followers)[number]['db']): Promise<number> {
  const [row] = await db<{ count: number }[]>`select count(*)::integer as count from hub.messages`
  return row!.count
}

/** Starts at the beginning of the log, without a backfill. */
async function fromTheStart(db: (typeof followers)[number]['db'], address: string): Promise<void> {
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time)
    select ${address}, shard, 0, 0 from generate_series(1, 2) shard
  `
}

it('everything merged upstream is stored here, with other shards too, and logged once', async () => {
  const { db, hub } = nextFollower()
  await fromTheStart(db, server.address)
  const users = newUsers(5)
  await register(users)
  await write(users, 5)
  const { metrics } = startTestSync(db, hub, { addresses: [server.address] })
  await write(users, 10)
  await expectSame(db)
  expect(await mergedHashes(db)).toEqual(await mergedHashes(a.db))
  expect(metrics.items.refused ?? 0).toBe(0)
})

it('repeated, reordered and dropped events -> nothing is lost or doubled', async () => {
  const { db, hub } = nextFollower()
  const proxy = await startGrpcProxy(server.address)
  await fromTheStart(db, proxy.address)
  proxy.distort = shuffleEvents
  const users = newUsers(4)
  await register(users)
  const { metrics } = startTestSync(db, hub, { addresses: [proxy.address] })
  await write(users, 12)
  await expectSame(db)
  expect(await mergedHashes(db)).toEqual(await mergedHashes(a.db))
  expect(metrics.found).toBeGreaterThan(0)
})

it('connections that are cut, delayed or truncated at any byte lose nothing', async () => {
  const { db, hub } = nextFollower()
  const proxy = await startTcpProxy(server.address)
  await fromTheStart(db, proxy.address)
  const users = newUsers(4)
  await register(users)
  const { metrics } = startTestSync(db, hub, { addresses: [proxy.address] })
  for (let round = 0; round < 20; round += 1) {
    if (round % 3 === 0) proxy.truncateAfter(500 + round * 731)
    proxy.delayMs = round % 4
    await write(users, 1)
    if (round % 3 === 1) proxy.cut()
    // The next round needs a connection.
    await expect.poll(() => countMessages(db)).toBe(await countMessages(a.db))
  }
  proxy.delayMs = 0
  await write(users, 1)
  await expectSame(db)
  expect(await mergedHashes(db)).toEqual(await mergedHashes(a.db))
  expect(metrics.disconnects.length).toBeGreaterThan(3)
})

it('another upstream is followed from the time at which the first one ended', async () => {
  const { db, hub } = nextFollower()
  const first = await startTcpProxy(server.address)
  const second = await startTcpProxy(server.address)
  await fromTheStart(db, first.address)
  const users = newUsers(3)
  await register(users)
  await write(users, 3)
  const { log } = startTestSync(db, hub, { addresses: [first.address, second.address] })
  await expectSame(db)
  first.target = '127.0.0.1:1'
  first.cut()
  await write(users, 3)
  await expectSame(db)
  const rows = await db`select distinct upstream from sync.cursors`
  expect(rows).toHaveLength(2)
  const begun = log.lines.filter(({ message }) => message === 'sync started')
  expect(begun.map(({ fields }) => fields)).toEqual(
    [first, second].map(({ address }) => ({ upstream: address, shards: 2 })),
  )
})

it('an invalid signature is refused, logged once and queued; a trusted upstream is not checked', async () => {
  const users = newUsers(2)
  await register(users)
  const lying = await startGrpcProxy(server.address)
  const forged = users[0]!.cast('not signed', testNow - 10)
  const good = forged.signature
  const forge = (bytes: Buffer): Buffer => {
    const at = bytes.indexOf(good)
    if (at < 0) return bytes
    const copy = Buffer.from(bytes)
    copy[at + 5] = copy[at + 5]! ^ 1
    return copy
  }
  lying.distort = () => (event) => [forge(event)]
  // A stream that was silent for long is compared with a page.
  lying.answer = (_method, bytes) => forge(bytes)
  const [doubting, trusting] = [nextFollower(), nextFollower()]
  await Promise.all([doubting, trusting].map(({ db }) => fromTheStart(db, lying.address)))
  const one = startTestSync(doubting.db, doubting.hub, { addresses: [lying.address] })
  startTestSync(trusting.db, trusting.hub, { addresses: [lying.address], trusted: true })
  await upstreamHub.submit([forged, users[1]!.cast('signed', testNow - 9)])
  const stored = async ({ db }: typeof doubting) =>
    (await db`select 1 from hub.messages where fid = ${users[0]!.fid}`).length
  await expect.poll(() => stored(trusting)).toBe(1)
  // Once for each delivery: a stream that was cut repeats what came last.
  await expect.poll(() => one.metrics.items.refused ?? 0).toBeGreaterThan(0)
  expect(await stored(doubting)).toBe(0)
  expect(one.log.lines.filter(({ message }) => message === 'an upstream item was refused')).toHaveLength(1)
  const queued = () =>
    doubting.db<{ fid: number }[]>`select fid from sync.fids where reconcile_reason is not null`
  await expect.poll(async () => (await queued()).map(({ fid }) => fid)).toEqual([users[0]!.fid])
})

it('one of several processes on a database syncs, and another takes over', async () => {
  const { db, hub } = nextFollower()
  const proxy = await startGrpcProxy(server.address)
  await fromTheStart(db, proxy.address)
  const users = newUsers(2)
  await register(users)
  const first = startTestSync(db, hub, { addresses: [proxy.address] })
  await expectSame(db)
  const second = startTestSync(db, hub, { addresses: [proxy.address] })
  await write(users, 2)
  await expectSame(db)
  expect(second.metrics.items).toEqual({})
  await first.stop()
  await write(users, 2)
  await expectSame(db)
  // Merged items are counted a moment later.
  await expect.poll(() => second.metrics.items.merged).toBeGreaterThan(0)
})

it('keys of hosted nodes are sent with every call and never logged', async () => {
  const { db, hub } = nextFollower()
  const proxy = await startGrpcProxy(server.address)
  const secret = 'the-key-of-a-hosted-node'
  const { log, stop } = startTestSync(db, hub, {
    addresses: [proxy.address, '127.0.0.1:1'],
    headers: new Map([['x-api-key', secret]]),
  })
  await expect.poll(() => proxy.calls.some(({ method }) => method === 'subscribe')).toBe(true)
  proxy.endStreams()
  await stop()
  expect(new Set(proxy.calls.flatMap(({ metadata }) => metadata.get('x-api-key')))).toEqual(new Set([secret]))
  expect(JSON.stringify(log.lines)).not.toContain(secret)
})
