import { randomUUID } from 'node:crypto'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../../test/database.js'
import { countLockWaiters, holdTransaction } from '../../../../graph/project/testing/transaction-locks.js'
import { silentLog } from '../../../../platform/log/log.js'
import { createNetClient } from '../../../../platform/outbound/net-client.js'
import { createApp } from '../../../apps/apps.js'
import { UNNAMED_CLIENT } from '../../tokens/token-holder.js'
import { nameTokens } from '../../tokens/unnamed-tokens.js'
import { broadcast } from '../broadcast.js'
import { createCampaigns } from '../campaign-client.js'
import { grantTokens, tokenOf } from '../testing/token-rows.js'
import { createBatchQueue } from './batch-queue.js'
import { settleBatches } from './batch-results.js'
import { batchSenders } from './batch-senders.js'

const { db, connect } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const settings = { isAsync: false, intervalSeconds: 0, perDay: 100, concurrency: 2, timeoutMs: 10_000 }

/** Queues a campaign of an app to everyone, which nobody sends. */
async function queueBroadcast(appId: string, title: string): Promise<void> {
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const audience = { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null }
  const parts = { db, writerDb: db, campaigns: { ...campaigns, waitForEnd: async () => {} } }
  const notification = { title, body: 'there', targetUrl: 'https://example.com/' }
  await expect(broadcast(parts, { appId, notification, uuid: null, audience }, 0)).rejects.toMatchObject({
    code: 'unavailable',
  })
}

/** Claims a batch of a host, as a sender of it does. */
async function claimBatch(host: string, sender = randomUUID()) {
  await batchSenders.heartbeat(db, connect({ poolSize: 1 }), sender)
  const queue = createBatchQueue({ db, net, settings, log: silentLog })
  return await queue.claim(sender, [{ lane: host, capacity: 1 }])
}

it('a batch of a canceled campaign is not claimed before it is removed, and those of others behind it are', async () => {
  const { id: appId } = await createApp(db, { name: 'spinney' })
  const url = 'https://spinney.example.com/'
  await grantTokens(db, { appId, clientFid: 9152, url, fids: [1] })
  for (const title of ['canceled', 'kept']) await queueBroadcast(appId, title)
  // As a process does that dies before it removes the batches.
  await db`update miniapps.campaigns set state = 'canceled' where app_id = ${appId} and title = 'canceled'`
  expect(await claimBatch('spinney.example.com')).toMatchObject([
    { items: [{ requests: [{ title: 'kept' }] }] },
  ])
})

it('a token that gets its client after the audience was selected can be sent to again', async () => {
  const { id: appId } = await createApp(db, { name: 'glade' })
  const url = 'https://glade.example.com/'
  await grantTokens(db, { appId, clientFid: UNNAMED_CLIENT, url, fids: [1, 2, 3] })
  await queueBroadcast(appId, 'hello')
  const clients = [1, 2].map((fid) => ({ fid, clientFid: 9152, url }))
  expect(await db.begin((transaction) => nameTokens(transaction, appId, clients))).toHaveLength(2)
  expect(await claimBatch('glade.example.com')).toMatchObject([
    { items: [{ requests: [{ url, fids: [3], tokens: [tokenOf(UNNAMED_CLIENT, 3)] }] }] },
  ])
  const [batch] = await db`
    select b.retryable_fids, b.unreached_fids
    from miniapps.batches b join miniapps.campaigns c on c.id = b.campaign_id where c.app_id = ${appId}`
  expect(batch).toEqual({ retryable_fids: [1, 2], unreached_fids: [] })
})

it('results lock the rate windows of users who were not reached before their campaign, as a claim does', async () => {
  const { id: appId } = await createApp(db, { name: 'coppice' })
  const url = 'https://coppice.example.com/'
  await grantTokens(db, { appId, clientFid: 9152, url, fids: [1] })
  await queueBroadcast(appId, 'hello')
  const sender = randomUUID()
  const [claimed] = await claimBatch('coppice.example.com', sender)
  await db`
    insert into miniapps.rate_windows (app_id, fid, client_fid, sent_at) values (${appId}, 1, 9152, '{}')
    on conflict do nothing`
  const window = await holdTransaction(
    connect({ poolSize: 1 }),
    (sql) => sql`select from miniapps.rate_windows where app_id = ${appId} for update`,
  )
  const failed = { fid: 1, token: tokenOf(9152, 1), outcome: 'rate_limited' as const, httpStatus: 0 }
  const settled = settleBatches(db, sender, [{ batchId: claimed!.items[0]!.batchId, failedTokens: [failed] }])
  const other = connect({ poolSize: 1 })
  await expect.poll(() => countLockWaiters(other)).toBe(1)
  const lockCampaign = other`select state from miniapps.campaigns where app_id = ${appId} for update nowait`
  expect(await lockCampaign).toEqual([{ state: 'running' }])
  await window.release()
  await settled
  expect(await other`select state from miniapps.campaigns where app_id = ${appId}`).toEqual([
    { state: 'completed' },
  ])
})
