import type { ServerResponse } from 'node:http'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNowUnix } from '../../../../test/network.js'
import { type ReceivedDelivery, startReceiver } from '../../../../test/webhooks/receiver.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { startOutbox } from '../../../outbox/outbox.js'
import { silentLog } from '../../../platform/log/log.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { createApp } from '../../apps/apps.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { hexSignature } from '../signatures.js'
import { enqueueTestDelivery } from '../test-delivery.js'
import {
  createWebhook,
  deleteWebhook,
  replaceWebhook,
  rotateSecret,
  setWebhookActive,
  type WebhookStore,
} from '../webhooks.js'
import { createDeliveryQueue } from './delivery-queue.js'
import { deliveryWorkers } from './delivery-store.js'

const { db, connect } = await createTestDatabase()
const targetPolicy = { allowHttp: true, allowLoopback: true }
const net = createNetClient({ policy: targetPolicy, userAgent: 'plaza test' })
afterAll(() => net.close())
const settings = {
  targetPolicy,
  httpTimeoutMs: 60_000,
  rateLimit: 1_000,
  rateLimitMs: 60_000,
  maxPerApp: 100,
}
const store: WebhookStore = { db, vault: testVault, settings }
const { id: appId } = await createApp(db, { name: 'orchard' })

/** Starts a worker that sends two deliveries of a webhook at once, and claims two more. */
async function startWorker(): Promise<void> {
  const hydrator = new Hydrator({ db, clock: () => testNowUnix * 1000, locationOf: () => null, maxViews: 0 })
  const parts = { db, vault: testVault, net, hydrator, clock: Date.now, random: () => 0.5, log: silentLog }
  const outbox = await startOutbox({
    ...parts,
    queue: createDeliveryQueue(parts),
    workers: deliveryWorkers,
    concurrency: 2,
    lockDb: connect({ poolSize: 1 }),
    listen: db.listen,
  })
  onTestFinished(() => outbox.stop())
}

/** Has two of four deliveries at their target, which holds its answers, and two others claimed behind them. */
async function holdTwoOfFour() {
  const held: ServerResponse[] = []
  const target = await startReceiver((response) => {
    if (held.length < 2) held.push(response)
    else response.end()
  })
  const webhook = await createWebhook(store, appId, {
    title: 'test',
    targetUrl: target.url,
    filters: undefined,
  })
  for (let n = 0; n < 4; n += 1) await enqueueTestDelivery(db, webhook, 'user.created', Date.now())
  const states = async () =>
    (await db`select state from webhooks.deliveries where webhook_id = ${webhook.id} order by seq`).map(
      ({ state }) => state,
    )
  await startWorker()
  await expect.poll(() => held.length).toBe(2)
  await expect.poll(states).toEqual(['sending', 'sending', 'sending', 'sending'])
  return { target, webhook, held, states }
}

/** The version and state of the row of the last delivery of a webhook. */
async function lastVersion(webhookId: string): Promise<string> {
  const [row] = await db<{ version: string }[]>`
    select xmin::text || state as version from webhooks.deliveries
    where webhook_id = ${webhookId} order by seq desc limit 1`
  return row!.version
}

async function isClaimedAgain(webhookId: string, before: string): Promise<boolean> {
  const version = await lastVersion(webhookId)
  return version !== before && version.endsWith('sending')
}

it.each([
  ['deactivated', (id: string) => setWebhookActive(store, appId, id, false)],
  ['deleted', (id: string) => deleteWebhook(store, appId, id)],
  [
    'deactivated by its id in upper case',
    (id: string) => setWebhookActive(store, appId, id.toUpperCase(), false),
  ],
  ['deleted by its id in upper case', (id: string) => deleteWebhook(store, appId, id.toUpperCase())],
])('a webhook that is %s -> claimed deliveries that have not begun are canceled', async (_case, end) => {
  const { target, webhook, held, states } = await holdTwoOfFour()
  await end(webhook.id)
  await expect.poll(states).toEqual(['sending', 'sending', 'canceled', 'canceled'])
  for (const response of held) response.end()
  await expect.poll(states).toEqual(['delivered', 'delivered', 'canceled', 'canceled'])
  expect(target.received).toHaveLength(2)
})

it('a target that answers 410 -> claimed deliveries that have not begun are canceled', async () => {
  const { target, held, states } = await holdTwoOfFour()
  held[0]!.writeHead(410).end()
  await expect
    .poll(async () => (await states()).toSorted())
    .toEqual(['canceled', 'canceled', 'failed', 'sending'])
  held[1]!.end()
  await expect
    .poll(async () => (await states()).toSorted())
    .toEqual(['canceled', 'canceled', 'delivered', 'failed'])
  expect(target.received).toHaveLength(2)
})

it('a target that answers 503 with Retry-After -> claimed deliveries that have not begun wait', async () => {
  const { target, held, states } = await holdTwoOfFour()
  held[0]!.writeHead(503, { 'retry-after': '86400' }).end()
  await expect
    .poll(async () => (await states()).toSorted())
    .toEqual(['sending', 'waiting', 'waiting', 'waiting'])
  held[1]!.end()
  await expect
    .poll(async () => (await states()).toSorted())
    .toEqual(['delivered', 'waiting', 'waiting', 'waiting'])
  expect(target.received).toHaveLength(2)
})

const spellings = [
  ['lower', (id: string) => id],
  ['upper', (id: string) => id.toUpperCase()],
] as const

it.each(spellings)(
  'a webhook with a new url, by its id in %s case -> claimed deliveries that have not begun go there',
  async (_case, spell) => {
    const { target, webhook, held, states } = await holdTwoOfFour()
    const moved = await startReceiver()
    const versionBefore = await lastVersion(webhook.id)
    await replaceWebhook(store, appId, spell(webhook.id), {
      title: 'moved',
      targetUrl: moved.url,
      filters: undefined,
    })
    await expect.poll(() => isClaimedAgain(webhook.id, versionBefore)).toBe(true)
    for (const response of held) response.end()
    await moved.waitForCount(2)
    await expect.poll(states).toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
    expect(target.received).toHaveLength(2)
  },
)

it.each(spellings)(
  'a secret that is rotated without a grace time, by an id in %s case -> claimed deliveries that have not begun have the new signature',
  async (_case, spell) => {
    const { target, webhook, held, states } = await holdTwoOfFour()
    const versionBefore = await lastVersion(webhook.id)
    const { secrets } = await rotateSecret(store, appId, spell(webhook.id), 0)
    await expect.poll(() => isClaimedAgain(webhook.id, versionBefore)).toBe(true)
    for (const response of held) response.end()
    await expect.poll(states).toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
    const isNew = ({ headers, raw }: ReceivedDelivery) =>
      headers['x-plaza-signature'] === hexSignature(secrets[0]!.value, raw)
    expect(target.received.map(isNew)).toEqual([false, false, true, true])
  },
)
