import { expect, it, onTestFinished, vi } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { reconcileLoop } from '../../src/hub/sync/reconcile/reconcile-loop.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { createRecordingLog, createRecordingMetrics } from './test-sync.js'

vi.setConfig({ testTimeout: 120_000 })

/** Compares users with an upstream until the test ends. */
function startReconcileLoop(options: {
  readonly db: Database
  readonly hub: Hub
  readonly address: string
  readonly fidsPerMinute: number
}) {
  const settings = { addresses: [options.address], tls: false, headers: new Map(), trusted: false }
  const upstreams = openUpstreams(settings, { answerTimeoutMs: 0 })
  const stopping = new AbortController()
  const log = createRecordingLog()
  const running = reconcileLoop({
    ...options,
    upstreams,
    trusted: false,
    extra: 'keep',
    isSubset: false,
    signal: stopping.signal,
    log,
    metrics: createRecordingMetrics(),
    pollMs: 50,
    retryMs: 50,
  })
  onTestFinished(async () => {
    stopping.abort()
    await running
    upstreams.close()
  })
  return { log }
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
  await expect.poll(queued, { timeout: 60_000 }).toEqual([1, 2, 3, 4, 5].map((fid) => ({ fid })))
  expect(await db`select fid from social.casts`).toEqual([{ fid: 6 }])
  const warnings = log.lines.filter(({ message }) => message === 'reconciliation failed')
  expect(warnings.length).toBeGreaterThan(0)
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
  await expect.poll(casts, { timeout: 30_000 }).toEqual([{ fid: 11 }])
  // The log brings the user, and loses the cast.
  await hub.submitOnChainEvents(late.onChain())
  await expect.poll(casts, { timeout: 30_000 }).toEqual([{ fid: 11 }, { fid: 12 }])
})
