import { Registry } from 'prom-client'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNowUnix } from '../../../../test/network.js'
import { startReceiver } from '../../../../test/webhooks/receiver.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { startOutbox } from '../../../outbox/outbox.js'
import type { Log } from '../../../platform/log/log.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { createVault, type Vault } from '../../../platform/vault/vault.js'
import { createApp } from '../../apps/apps.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { summarizeWebhooks } from '../limits.js'
import { enqueueTestDelivery } from '../test-delivery.js'
import { observeDeliveryQueue } from '../webhook-metrics.js'
import { createWebhook, rotateSecret } from '../webhooks.js'
import { createDeliveryQueue } from './delivery-queue.js'
import { deliveryWorkers } from './delivery-store.js'

const { db, connect } = await createTestDatabase()
const targetPolicy = { allowHttp: true, allowLoopback: true }
const settings = {
  targetPolicy,
  httpTimeoutMs: 60_000,
  rateLimit: 1_000,
  rateLimitMs: 60_000,
  maxPerApp: 100,
}
const { id: appId } = await createApp(db, { name: 'orchard' })
const otherVault = createVault(['a key that has encrypted nothing'])

async function createReceivedWebhook() {
  const target = await startReceiver()
  const details = { title: 'test', targetUrl: target.url, filters: undefined }
  const webhook = await createWebhook({ db, vault: testVault, settings }, appId, details)
  return { target, webhook }
}

/** Starts a worker with the keys of a vault. */
async function startWorker(vault: Vault) {
  const errors: string[] = []
  const log = { error: (_of: object, text: string) => errors.push(text), warn: () => {}, info: () => {} }
  const net = createNetClient({ policy: targetPolicy, userAgent: 'plaza test' })
  const hydrator = new Hydrator({ db, clock: () => testNowUnix * 1000, locationOf: () => null, maxViews: 0 })
  const parts = { db, vault, net, hydrator, clock: Date.now, random: () => 0.5, log: log as unknown as Log }
  const outbox = await startOutbox({
    ...parts,
    queue: createDeliveryQueue(parts),
    workers: deliveryWorkers,
    concurrency: 4,
    lockDb: connect({ poolSize: 1 }),
    listen: db.listen,
  })
  onTestFinished(async () => {
    await outbox.stop()
    await net.close()
  })
  return { stop: () => outbox.stop(), errors }
}

async function readLane(webhookId: string) {
  const [lane] = await db<
    { failures: number; failingSince: Date | null; isHeld: boolean; isUnsigned: boolean }[]
  >`
    select failures, failing_since as "failingSince", held_until > now() as "isHeld",
      unsigned_since is not null as "isUnsigned"
    from webhooks.lanes where webhook_id = ${webhookId}`
  return lane
}

const readDeliveries = (webhookId: string) => db`
  select state, attempts, failure from webhooks.deliveries where webhook_id = ${webhookId} order by seq`

async function endHold(webhookId: string): Promise<void> {
  await db`update webhooks.lanes set held_until = now() where webhook_id = ${webhookId}`
  await db`select pg_notify('webhook_lanes', ${webhookId})`
}

async function readGauge(): Promise<string | undefined> {
  const registry = new Registry()
  observeDeliveryQueue(registry, db)
  return (await registry.metrics()).split('\n').find((line) => line.startsWith('plaza_webhooks_unsigned '))
}

it('a secret that no key decrypts -> deliveries wait without an attempt, and go out when the key is back', async () => {
  const { target, webhook } = await createReceivedWebhook()
  for (let n = 0; n < 6; n += 1) await enqueueTestDelivery(db, webhook, 'user.created', Date.now())
  const withoutKey = await startWorker(otherVault)
  const held = { failures: 0, failingSince: null, isHeld: true, isUnsigned: true }
  await expect.poll(() => readLane(webhook.id)).toEqual(held)
  await endHold(webhook.id)
  await expect.poll(() => readLane(webhook.id)).toEqual(held)
  await withoutKey.stop()

  const deliveries = await readDeliveries(webhook.id)
  expect(deliveries).toHaveLength(6)
  for (const delivery of deliveries) expect(delivery).toMatchObject({ state: 'waiting', attempts: 0 })
  expect(deliveries[0]!.failure).toContain('PLAZA_SECRET_KEY')
  expect(withoutKey.errors).toEqual([expect.stringContaining('PLAZA_SECRET_KEY')])
  expect(await readGauge()).toBe('plaza_webhooks_unsigned 1')
  expect(await summarizeWebhooks(db)).toMatchObject([{ isUnsigned: true, failures: 0, waiting: 6 }])
  expect(target.received).toEqual([])

  await startWorker(testVault)
  await endHold(webhook.id)
  await target.waitForCount(6)
  await expect.poll(() => readLane(webhook.id)).toEqual({ ...held, isHeld: false, isUnsigned: false })
  await expect
    .poll(() => readDeliveries(webhook.id))
    .toEqual(deliveries.map(() => ({ state: 'delivered', attempts: 1, failure: null })))
  expect(await readGauge()).toBe('plaza_webhooks_unsigned 0')
})

it('a new secret ends the problem at once, without an event', async () => {
  const { webhook } = await createReceivedWebhook()
  await db`update webhooks.lanes set unsigned_since = now() where webhook_id = ${webhook.id}`
  expect(await readGauge()).toBe('plaza_webhooks_unsigned 1')
  await rotateSecret({ db, vault: testVault, settings }, appId, webhook.id, 0)
  expect(await readGauge()).toBe('plaza_webhooks_unsigned 0')
})

it('a target that failed before its key was lost -> the time without the key is no time of failures', async () => {
  const { webhook } = await createReceivedWebhook()
  await db`
    update webhooks.lanes set failures = 9, failing_since = now() - interval '10 hours' where webhook_id = ${webhook.id}`
  const failingSince = async () => (await readLane(webhook.id))!.failingSince!.getTime()
  const before = await failingSince()
  await enqueueTestDelivery(db, webhook, 'user.created', Date.now())
  await startWorker(otherVault)
  await expect.poll(() => readLane(webhook.id)).toMatchObject({ failures: 9, isHeld: true })
  expect((await failingSince()) - before).toBe(60_000)
})
