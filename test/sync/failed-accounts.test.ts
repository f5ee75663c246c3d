import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { backfill } from '../../src/hub/sync/backfill/backfill.js'
import { listFids } from '../../src/hub/sync/backfill/fid-list.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { reconcile } from '../../src/hub/sync/reconcile/reconcile.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'

const upstream = await createTestDatabase()
const upstreamHub = await createTestHub(upstream.db)
const { server } = await openHubGrpc(upstream.db, { hub: upstreamHub })
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const users = Array.from({ length: 6 }, (_, index) => new TestUser(index + 1))
await upstreamHub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
await upstreamHub.submit(users.map((user) => user.cast('hello', testNow)))
const { signal } = new AbortController()

beforeEach(async () => {
  await db`truncate sync.fids`
})

/** Damages rows, so that the upstream cannot list these users. */
async function damage(fids: readonly number[]): Promise<void> {
  const intact = await upstream.db<{ hash: Buffer; message: Buffer }[]>`
    select hash, message from hub.messages where fid = any (${[...fids]}::bigint[])
  `
  await upstream.db`update hub.messages set message = '\\xff' where fid = any (${[...fids]}::bigint[])`
  onTestFinished(async () => {
    for (const { hash, message } of intact)
      await upstream.db`update hub.messages set message = ${message} where hash = ${hash}`
  })
}

function openOptions(address = server.address) {
  const settings = { addresses: [address], tls: false, headers: new Map(), trusted: false }
  const upstreams = openUpstreams(settings, { answerTimeoutMs: 0 })
  onTestFinished(() => upstreams.close())
  return { db, upstreams, hub, trusted: false, concurrency: 2, clock: Date.now, signal }
}

async function runBackfill() {
  const options = openOptions()
  await listFids(db, options.upstreams, signal)
  return await backfill(options)
}

const unfetched = () => db`
  select fid, reconcile_reason as reason from sync.fids where backfilled_at is null order by fid
`

test('backfill: users that the upstream cannot list are queued, and those after them are fetched', async () => {
  await damage([1, 4])
  const { fids, failed, isComplete } = await runBackfill()
  expect({ fids, failed, isComplete }).toEqual({ fids: 4, failed: 2, isComplete: true })
  expect([...(await unfetched())]).toEqual([1, 4].map((fid) => ({ fid, reason: 'not fetched' })))
})

test('backfill: users that could not be listed before do not keep the next run from new ones', async () => {
  await damage([1, 2, 3, 4, 5])
  await expect(runBackfill()).rejects.toThrow('INTERNAL')
  // The two of these that are new do not end the run before the last user.
  await expect(runBackfill()).rejects.toThrow('INTERNAL')
  expect([...(await unfetched())]).toEqual([1, 2, 3, 4, 5].map((fid) => ({ fid, reason: 'not fetched' })))
})

test('backfill: users that a stopped run does not reach stay queued for a comparison', async () => {
  await db`insert into sync.fids (fid, reconcile_reason) select fid, 'not fetched' from generate_series(1, 6) fid`
  const stop = new AbortController()
  const options = { ...openOptions(), concurrency: 1, batchSize: 4, signal: stop.signal }
  await backfill({ ...options, onProgress: () => stop.abort() })
  const left = await unfetched()
  expect(left.length).toBeGreaterThan(0)
  expect(left.filter(({ reason }) => reason !== 'not fetched')).toEqual([])
  expect(
    await db`select fid from sync.fids where backfilled_at is not null and reconcile_reason is not null`,
  ).toEqual([])
})

test('backfill: an upstream that can list nobody ends the run', async () => {
  await damage(users.map(({ fid }) => fid))
  await expect(runBackfill()).rejects.toThrow('INTERNAL')
})

test('backfill: an upstream that is not reached ends the run at the first user', async () => {
  await db`insert into sync.fids (fid) values (1)`
  await expect(backfill(openOptions('127.0.0.1:1'))).rejects.toThrow('UNAVAILABLE')
  expect([...(await unfetched())]).toEqual([{ fid: 1, reason: null }])
})

test('reconcile: users that the upstream cannot list are queued, and those after them are compared', async () => {
  await runBackfill()
  await damage([2])
  const report = await reconcile({ ...openOptions(), extra: 'keep', fids: null })
  // Fid 0, which has the channels, is compared like a user.
  expect(report).toMatchObject({ users: 6, failed: 1, isComplete: true })
  const queued =
    await db`select fid, reconcile_reason as reason from sync.fids where reconcile_reason is not null`
  expect([...queued]).toEqual([{ fid: 2, reason: 'not compared' }])
})
