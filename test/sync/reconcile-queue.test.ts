import { expect, it, onTestFinished, vi } from 'vitest'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { reconcileLoop } from '../../src/hub/sync/reconcile/reconcile-loop.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { createRecordingLog } from './test-sync.js'

vi.setConfig({ testTimeout: 120_000 })

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
  const settings = { addresses: [server.address], tls: false, headers: new Map(), trusted: false }
  const upstreams = openUpstreams(settings, { answerTimeoutMs: 0 })
  const stopping = new AbortController()
  const log = createRecordingLog()
  const running = reconcileLoop({
    db,
    upstreams,
    hub,
    trusted: false,
    extra: 'keep',
    fidsPerMinute: 0,
    isSubset: false,
    signal: stopping.signal,
    log,
    metrics: { count() {}, caughtUp() {}, heard() {}, disconnected() {}, missed() {}, compared() {} },
    pollMs: 50,
    retryMs: 50,
  })
  onTestFinished(async () => {
    stopping.abort()
    await running
    upstreams.close()
  })
  const queued = () =>
    db<{ fid: number }[]>`select fid from sync.fids where reconcile_reason is not null order by fid`
  await expect.poll(queued, { timeout: 60_000 }).toEqual([1, 2, 3, 4, 5].map((fid) => ({ fid })))
  expect(await db`select fid from social.casts`).toEqual([{ fid: 6 }])
  const warnings = log.lines.filter(({ message }) => message === 'reconciliation failed')
  expect(warnings.length).toBeGreaterThan(0)
})
