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
  return { db, upstreams, hub, trusted: false, concurrency: 2, signal }
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
  await db`insert into sync.fids (fid) values (1), (2), (3)`
  await damage([1, 2, 3])
  await expect(backfill(openOptions())).rejects.toThrow('INTERNAL')
  await db`insert into sync.fids (fid) values (4), (5), (6)`
  expect(await backfill(openOptions())).toMatchObject({ fids: 3, failed: 3, isComplete: true })
  expect((await unfetched()).map(({ fid }) => fid)).toEqual([1, 2, 3])
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
