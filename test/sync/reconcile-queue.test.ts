import { expect, it, onTestFinished } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { createUpstreamClient, type UpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { reconcileLoop } from '../../src/hub/sync/reconcile/reconcile-loop.js'
import { queueLast, readQueuedFids } from '../../src/hub/sync/reconcile/reconcile-queries.js'
import { queueKnownUsers } from '../../src/hub/sync/reconcile-queue.js'
import { allUsers } from '../../src/hub/sync/subset/selected-users.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { createRecordingLog, createRecordingMetrics } from './test-sync.js'

/** Compares users with an upstream until the test ends. */
function startReconcileLoop(options: {
  readonly db: Database
  readonly hub: Hub
  readonly address: string
  readonly fidsPerMinute: number
  readonly userRetryMs?: number
}) {
  const settings = { addresses: [options.address], tls: false, headers: new Map(), trusted: false }
  /** Fids whose casts were requested, in order. */
  const requested: number[] = []
  const connect: typeof createUpstreamClient = (...given): UpstreamClient => {
    const client = createUpstreamClient(...given)
    return {
      ...client,
      call: async (name, request, signal) => {
        if (name === 'getAllCastMessagesByFid') requested.push((request as { fid: number }).fid)
        return await client.call(name, request, signal)
      },
    }
  }
  const upstreams = openUpstreams(settings, { connect })
  const stopping = new AbortController()
  const log = createRecordingLog()
  const running = reconcileLoop({
    ...options,
    upstreams,
    trusted: false,
    extra: 'keep',
    selection: allUsers,
    signal: stopping.signal,
    log,
    metrics: createRecordingMetrics(),
    pollMs: 50,
    retryMs: 50,
    answerTimeoutMs: 0,
  })
  onTestFinished(async () => {
    stopping.abort()
    await running
    upstreams.close()
  })
  return { log, requested }
}

it('users that cannot be compared, more than are compared at once -> those queued after them are', async () => {
  const upstream = await createTestDatabase()
  const upstreamHub = await createTestHub(upstream.db)
  const { server } = await openHubGrpc(upstream.db, { hub: upstreamHub })
  const users = Array.from({ length: 6 }, (_, index) => new TestUser(index + 1))
  await upstreamHub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  await upstreamHub.submit(users.map((user) => user.cast('hello', testNow)))
  // What the upstream cannot read it cannot send.
  await upstream.db`update hub.messages set message = '\\xff' where fid <= 5`

  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  await db`
    insert into sync.fids (fid, reconcile_reason, queued_at)
    select fid, 'a test', date_trunc('milliseconds', now()) + fid * interval '1 millisecond' from generate_series(1, 6) as fid`
  const { log } = startReconcileLoop({ db, hub, address: server.address, fidsPerMinute: 0 })
  const queued = () =>
    db<{ fid: number }[]>`select fid from sync.fids where reconcile_reason is not null order by fid`
  await expect.poll(queued).toEqual([1, 2, 3, 4, 5].map((fid) => ({ fid })))
  expect(await db`select fid from social.casts`).toEqual([{ fid: 6 }])
  const warnings = log.lines.filter(({ message }) => message === 'reconciliation failed')
  expect(warnings.length).toBeGreaterThan(0)
})

/** An upstream with users, of which it cannot list the first, and a hub that has none of them. */
async function createDamagedUpstream(count: number) {
  const upstream = await createTestDatabase()
  const upstreamHub = await createTestHub(upstream.db)
  const { server } = await openHubGrpc(upstream.db, { hub: upstreamHub })
  const users = Array.from({ length: count }, (_, index) => new TestUser(index + 1))
  await upstreamHub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  await upstreamHub.submit(users.map((user) => user.cast('hello', testNow)))
  const [intact] = await upstream.db<{ message: Buffer }[]>`select message from hub.messages where fid = 1`
  await upstream.db`update hub.messages set message = '\\xff' where fid = 1`
  const repair = () => upstream.db`update hub.messages set message = ${intact!.message} where fid = 1`
  const { db } = await createTestDatabase({ poolSize: 8 })
  await db`
    insert into sync.fids (fid, backfilled_at, reconcile_reason, queued_at)
    select fid, now(), case when fid = 1 then 'a test' end, case when fid = 1 then date_trunc('milliseconds', now()) end
    from generate_series(1, ${count}) as fid`
  const casts = async () =>
    (await db<{ fid: number }[]>`select fid from social.casts order by fid`).map(({ fid }) => fid)
  return { db, hub: await createTestHub(db), address: server.address, repair, casts }
}

it('a user whom the upstream cannot list -> the cycle goes on, and the user is asked for once meanwhile', async () => {
  const { casts, ...hubs } = await createDamagedUpstream(20)
  const { requested } = startReconcileLoop({ ...hubs, fidsPerMinute: 2_400 })
  const others = Array.from({ length: 19 }, (_, index) => index + 2)
  await expect.poll(casts).toEqual(others)
  expect(requested.filter((fid) => fid === 1)).toHaveLength(1)
})

it('a user whom the upstream can list again -> the user is compared after a wait', async () => {
  const { casts, repair, ...hubs } = await createDamagedUpstream(1)
  const { log } = startReconcileLoop({ ...hubs, fidsPerMinute: 0, userRetryMs: 50 })
  const warnings = () => log.lines.filter(({ message }) => message === 'reconciliation failed').length
  await expect.poll(warnings).toBe(1)
  await repair()
  await expect.poll(casts).toEqual([1])
})

it('a database that is away for a moment says nothing about a user: the comparison is repeated at once', async () => {
  const { casts, repair, db, ...parts } = await createDamagedUpstream(1)
  await repair()
  let failures = 2
  const interrupted = new Proxy(db, {
    apply(target, self, given) {
      if (failures === 0 || !`${given[0]}`.includes('compared_at = now()'))
        return Reflect.apply(target, self, given)
      failures -= 1
      return Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
    },
  })
  startReconcileLoop({ ...parts, db: interrupted, fidsPerMinute: 0 })
  const compared = () => db`select fid from sync.fids where compared_at is not null`
  await expect.poll(compared).toEqual([{ fid: 1 }])
  expect([failures, await casts()]).toEqual([0, [1]])
})

it('a user who is queued again while a comparison fails -> is compared at once', async () => {
  const { db } = await createTestDatabase()
  const queuedAt = new Date('2026-11-01T00:00:00.123Z')
  await db`insert into sync.fids (fid, reconcile_reason, queued_at) values (1, 'a', ${queuedAt}), (2, 'a', ${queuedAt})`
  const users = await readQueuedFids(db, 2)
  await queueKnownUsers(db, [2], 'b')
  for (const user of users) await queueLast(db, user, 600_000)
  expect((await readQueuedFids(db, 2)).map(({ fid }) => fid)).toEqual([2])
})

it('a user who arrives by the log after the first round -> the cycle compares that user, too', async () => {
  const upstream = await createTestDatabase()
  const upstreamHub = await createTestHub(upstream.db)
  const { server } = await openHubGrpc(upstream.db, { hub: upstreamHub })
  const [early, late] = [new TestUser(11), new TestUser(12)]
  await upstreamHub.submitOnChainEvents([early, late].flatMap((user) => user.onChain()))
  await upstreamHub.submit([early.cast('early', testNow), late.cast('late', testNow)])

  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  await hub.submitOnChainEvents(early.onChain())
  startReconcileLoop({ db, hub, address: server.address, fidsPerMinute: 6_000 })
  const casts = () => db<{ fid: number }[]>`select fid from social.casts order by fid`
  await expect.poll(casts).toEqual([{ fid: 11 }])
  // The log brings the user, and loses the cast.
  await hub.submitOnChainEvents(late.onChain())
  await expect.poll(casts).toEqual([{ fid: 11 }, { fid: 12 }])
})
