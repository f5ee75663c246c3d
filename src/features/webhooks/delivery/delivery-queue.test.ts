import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { countLockWaiters } from '../../../graph/project/testing/transaction-locks.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { NetAnswer } from '../../../platform/outbound/net-client.js'
import { netFailure } from '../../../platform/outbound/net-failure.js'
import { serveHttp } from '../../../platform/outbound/testing/loopback-server.js'
import { createClient } from '../../../platform/outbound/testing/requests.js'
import { setWebhookLimits } from '../limits.js'
import { createDeliveryQueue, type DeliveryQueueOptions } from './delivery-queue.js'
import { type ClaimedDelivery, deliveryWorkers } from './delivery-store.js'
import { outcomeOf, settleOutcomes } from './outcome.js'
import { deliveryRequest } from './request.js'

const { db, connect } = await createTestDatabase()
const api = await createTestApi({ db })
const worker = randomUUID()

await deliveryWorkers.heartbeat(db, connect({ poolSize: 1 }), worker)

/** The part of the queue that needs neither secrets nor a network. */
function createQueue({ sql = db, clock = Date.now }: { sql?: Queryable; clock?: () => number } = {}) {
  const log = { error: () => {}, warn: () => {} }
  return createDeliveryQueue({ db: sql, clock, random: () => 0.5, log } as unknown as DeliveryQueueOptions)
}
const queue = createQueue()

async function createWebhook(path: string): Promise<string> {
  const body = { name: path, url: `https://hooks.plaza.social/${path}`, subscription: { 'user.created': {} } }
  return (await api.send('POST', 'webhook', body)).json().webhook.webhook_id
}

async function claim(webhookId: string): Promise<ClaimedDelivery[]> {
  const claims = await queue.claim(worker, [{ lane: webhookId, capacity: 100 }])
  return claims.flatMap(({ items }) => items)
}

/** Queues a test delivery and claims it, as a worker that is about to send it. */
async function claimTest(webhook_id: string): Promise<ClaimedDelivery> {
  await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  return (await claim(webhook_id))[0]!
}

function settle(delivery: ClaimedDelivery, status: number, headers: NetAnswer['headers'] = {}) {
  const attempt = { delivery, attemptedAtMs: Date.now() - 5, nowMs: Date.now(), random: 0.5 }
  const answer = { status, headers, bytes: Buffer.of(), isTruncated: false, url: delivery.targetUrl }
  return queue.settle(worker, [outcomeOf(answer, attempt)], [delivery.webhookId])
}

it('a target that answers 200 in time and leaves the body open has the delivery', async () => {
  const { origin } = await serveHttp((_, res) => res.writeHead(200).write('thank'))
  const webhook_id = await createWebhook('open-body')
  const delivery = await claimTest(webhook_id)
  const prepared = {
    ...delivery,
    targetUrl: origin,
    httpTimeoutMs: 10_000,
    data: 'null',
    secrets: [],
    isSignable: true,
  }
  const answer = await createClient().request(deliveryRequest(prepared, Date.now()))
  const attempt = { delivery, attemptedAtMs: Date.now() - 5, nowMs: Date.now(), random: 0.5 }
  await queue.settle(worker, [outcomeOf(answer, attempt)], [webhook_id])
  expect((await api.get('webhook/deliveries', { webhook_id })).json().deliveries).toMatchObject([
    { status: 'delivered', attempts: 1 },
  ])
})

it('a lane that is named twice, in upper case as well -> its deliveries are claimed once, and none is lost', async () => {
  const webhook_id = await createWebhook('spelled')
  await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  const lanes = [webhook_id.toUpperCase(), webhook_id].map((lane) => ({ lane, capacity: 100 }))
  const claims = await queue.claim(worker, lanes)
  expect(claims).toMatchObject([{ lane: webhook_id, items: [{ webhookId: webhook_id }] }])
})

const busy = { 'retry-after': '86400' }

it('an answer of a target that was replaced meanwhile does not pause the webhook', async () => {
  const webhook_id = await createWebhook('busy')
  const url = 'https://hooks.plaza.social/free'
  const delivery = await claimTest(webhook_id)
  await api.send('PUT', 'webhook', { webhook_id, name: 'free', url })
  const wakeUps = await settle(delivery, 503, busy)
  expect(Math.min(...wakeUps.map(({ atMs }) => atMs))).toBeLessThanOrEqual(Date.now())
  expect(await claim(webhook_id)).toMatchObject([{ id: delivery.id, targetUrl: url, attempts: 1 }])
  expect(await db`select failures, held_until from webhooks.lanes where webhook_id = ${webhook_id}`).toEqual([
    { failures: 0, held_until: null },
  ])
})

it('410 of a target that was replaced meanwhile does not disable the webhook', async () => {
  const webhook_id = await createWebhook('gone')
  const url = 'https://hooks.plaza.social/here'
  const delivery = await claimTest(webhook_id)
  await api.send('PUT', 'webhook', { webhook_id, name: 'here', url })
  await settle(delivery, 410)
  expect((await api.get('webhook', { webhook_id })).json().webhook).toMatchObject({ active: true })
  expect(await claim(webhook_id)).toMatchObject([{ id: delivery.id, targetUrl: url }])
})

it('a success at a target that was replaced meanwhile is not sent again', async () => {
  const webhook_id = await createWebhook('late')
  const delivery = await claimTest(webhook_id)
  await api.send('PUT', 'webhook', { webhook_id, name: 'new', url: 'https://hooks.plaza.social/later' })
  await settle(delivery, 200)
  expect(await claim(webhook_id)).toEqual([])
  expect((await api.get('webhook/deliveries', { webhook_id })).json().deliveries).toMatchObject([
    { status: 'delivered', attempts: 1 },
  ])
})

it('an answer of the present target pauses the webhook, and 410 disables it', async () => {
  const webhook_id = await createWebhook('present')
  const [first, second] = [await claimTest(webhook_id), await claimTest(webhook_id)]
  await settle(first, 429, busy)
  expect(await claim(webhook_id)).toEqual([])
  await settle(second, 410)
  expect((await api.get('webhook', { webhook_id })).json().webhook).toMatchObject({
    active: false,
    description: expect.stringContaining('410'),
  })
})

it('an outcome that is settled again after the reply was lost counts once, and gives the webhook back', async () => {
  const webhook_id = await createWebhook('settled-twice')
  const delivery = await claimTest(webhook_id)
  const lane = async () => {
    const [row] = await db`select failures, worker from webhooks.lanes where webhook_id = ${webhook_id}`
    return row
  }
  await settle(delivery, 500)
  expect(await lane()).toEqual({ failures: 1, worker: null })
  // Another delivery is claimed meanwhile.
  await claimTest(webhook_id)
  expect(await lane()).toEqual({ failures: 1, worker })
  await settle(delivery, 500)
  expect(await lane()).toEqual({ failures: 1, worker: null })
  expect((await api.get('webhook/deliveries', { webhook_id })).json().deliveries).toContainEqual(
    expect.objectContaining({ delivery_id: delivery.id, attempts: 1 }),
  )
})

it('a target whose answer 410 is settled again is still found gone', async () => {
  const webhook_id = await createWebhook('gone-twice')
  const delivery = await claimTest(webhook_id)
  const attempt = { delivery, attemptedAtMs: Date.now() - 5, nowMs: Date.now(), random: 0.5 }
  const answer = { status: 410, headers: {}, bytes: Buffer.of(), isTruncated: false, url: delivery.targetUrl }
  const outcome = outcomeOf(answer, attempt)
  // The first reply does not arrive.
  await settleOutcomes(db, worker, [outcome], { nowMs: Date.now(), finishedWebhookIds: [webhook_id] })
  await queue.settle(worker, [outcome], [webhook_id])
  expect((await api.get('webhook', { webhook_id })).json().webhook).toMatchObject({ active: false })
})

it('a failure of the server itself is retried and recorded as such, and does not count against the target', async () => {
  const webhook_id = await createWebhook('offline')
  await db`
    update webhooks.lanes
    set failing_since = now() - interval '23 hours', failed_at = now() - interval '4 hours', failures = 20
    where webhook_id = ${webhook_id}`
  const lane = async () =>
    (
      await db`select failures, failing_since, failed_at from webhooks.lanes where webhook_id = ${webhook_id}`
    )[0]
  const before = await lane()
  const delivery = await claimTest(webhook_id)
  const attempt = { delivery, attemptedAtMs: Date.now() - 5, nowMs: Date.now(), random: 0.5 }
  const failure = netFailure('local', 'the network of this server failed (ENETUNREACH)')
  await queue.settle(worker, [outcomeOf(failure, attempt)], [webhook_id])
  expect(await lane()).toEqual(before)
  expect((await api.get('webhook/deliveries', { webhook_id })).json().deliveries).toMatchObject([
    { status: 'waiting', attempts: 1, failure: 'local: the network of this server failed (ENETUNREACH)' },
  ])
})

it('deliveries are claimed after the clock of the database was set back', async () => {
  const [set_back, other] = [await createWebhook('set-back'), await createWebhook('other')]
  for (const webhook_id of [set_back, other]) {
    await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  }
  await db`
    update webhooks.lanes set counted_at = now() + interval '1 hour', allowance = 0
    where webhook_id = ${set_back}`
  const claims = await queue.claim(
    worker,
    [set_back, other].map((lane) => ({ lane, capacity: 10 })),
  )
  expect(claims.flatMap(({ items }) => items.map(({ webhookId }) => webhookId)).sort()).toEqual(
    [set_back, other].sort(),
  )
})

it('an outcome is stored where the clock was set while the target answered', async () => {
  const webhook_id = await createWebhook('clock')
  const delivery = await claimTest(webhook_id)
  const attempt = { delivery, attemptedAtMs: 0, nowMs: Date.now(), random: 0.5 }
  const answer = { status: 200, headers: {}, bytes: Buffer.of(), isTruncated: false, url: delivery.targetUrl }
  await queue.settle(worker, [outcomeOf(answer, attempt)], [webhook_id])
  expect((await api.get('webhook/deliveries', { webhook_id })).json().deliveries).toMatchObject([
    { status: 'delivered' },
  ])
})

it.each([
  ['an hour ahead', 3_600_000],
  ['an hour behind', -3_600_000],
])('a worker whose clock is %s retries when the database says so', async (_case, offMs) => {
  const clock = () => Date.now() + offMs
  const off = createQueue({ clock })
  const webhook_id = await createWebhook(`off/${offMs}`)
  const delivery = await claimTest(webhook_id)
  /** Lets an attempt fail. Distances are in seconds from the database's now. */
  const fail = async (claimed: ClaimedDelivery, status: number, headers = {}) => {
    const answer = { status, headers, bytes: Buffer.of(), isTruncated: false, url: claimed.targetUrl }
    const attempt = { delivery: claimed, attemptedAtMs: clock(), nowMs: clock(), random: 0.5 }
    await off.settle(worker, [outcomeOf(answer, attempt)], [webhook_id])
    const [row] = await db<{ state: string; next: number; held: number }[]>`
      select
        d.state, extract(epoch from d.next_attempt_at - now())::double precision as next,
        coalesce(extract(epoch from l.held_until - now()), 0)::double precision as held
      from webhooks.deliveries d
      join webhooks.lanes l using (webhook_id)
      where webhook_id = ${webhook_id}`
    const { state, next, held } = row!
    // To the minute: a busy machine takes its time.
    return {
      state,
      ...Object.fromEntries(
        Object.entries({ next, held }).map(([of, s]) => [of, Math.round(Math.abs(s) / 60)]),
      ),
    }
  }
  expect(await fail(delivery, 500)).toEqual({ state: 'waiting', next: 0, held: 0 })

  // Half an hour before the end of the day in which it is retried: an hour more or less would decide.
  await db`
    update webhooks.deliveries
    set next_attempt_at = now(), attempts = 3, first_attempt_at = now() - interval '23 hours 30 minutes'
    where webhook_id = ${webhook_id}`
  const [last] = await claim(webhook_id)
  expect(await fail(last!, 503, { 'retry-after': '600' })).toEqual({
    state: 'waiting',
    next: 10,
    held: 10,
  })
})

it('a delivery that a worker had in hand when it ended has the whole day for its retries', async () => {
  const webhook_id = await createWebhook('in-hand')
  await claimTest(webhook_id)
  await db`
    update webhooks.deliveries
    set state = 'waiting', worker = null, first_attempt_at = now() - interval '25 hours'
    where webhook_id = ${webhook_id}`
  const [delivery] = await claim(webhook_id)
  await settle(delivery!, 503)
  expect(await db`select state, attempts from webhooks.deliveries where webhook_id = ${webhook_id}`).toEqual([
    { state: 'waiting', attempts: 1 },
  ])
})

it('a claim that is carried out after its worker died is given back with the rest', async () => {
  const webhook_id = await createWebhook('late-claim')
  await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  const requests = [{ lane: webhook_id, capacity: 10 }]
  const states = async () => await db`select state from webhooks.deliveries where webhook_id = ${webhook_id}`
  const dying = randomUUID()
  await deliveryWorkers.heartbeat(db, connect({ poolSize: 1 }), dying)

  let releasing: Promise<void> | undefined
  await db.begin(async (transaction) => {
    const claims = await createQueue({ sql: transaction }).claim(dying, requests)
    expect(claims).toMatchObject([{ items: [{}] }])
    releasing = deliveryWorkers.deregister(db, dying)
    await expect.poll(() => countLockWaiters(db)).toBe(1)
  })

  await releasing
  expect(await states()).toEqual([{ state: 'waiting' }])
  expect(await queue.claim(dying, requests)).toEqual([])
})

it('a claim that retries have their half of may have more', async () => {
  const webhook_id = await createWebhook('backlog-of-retries')
  for (let n = 0; n < 8; n += 1)
    await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  await db`update webhooks.deliveries set attempts = 1, next_attempt_at = now() where webhook_id = ${webhook_id}`
  const claims = async () => {
    const [claimed] = await queue.claim(worker, [{ lane: webhook_id, capacity: 10 }])
    return [claimed!.items.length, claimed!.hasMore]
  }
  // Half of the room is for new deliveries; a lane that may have more is asked again at once.
  expect([await claims(), await claims(), await claims()]).toEqual([
    [5, true],
    [3, false],
    [0, false],
  ])
})

it('deliveries that are given back count no more against the rate limit', async () => {
  const webhook_id = await createWebhook('given back')
  await setWebhookLimits(db, webhook_id, { rateLimit: 10, rateLimitMs: 3_600_000 })
  for (let n = 0; n < 3; n += 1)
    await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  await db`update webhooks.lanes set allowance = 3, counted_at = now() where webhook_id = ${webhook_id}`
  for (let n = 0; n < 2; n += 1) {
    const deliveries = await claim(webhook_id)
    expect(deliveries).toHaveLength(3)
    await queue.release(worker, deliveries)
  }
})

it('a webhook at its rate limit sends new deliveries while retries are due, and retries while new ones wait', async () => {
  const webhook_id = await createWebhook('one-by-one')
  await setWebhookLimits(db, webhook_id, { rateLimit: 1, rateLimitMs: 3_600_000 })
  for (let n = 0; n < 2; n += 1)
    await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  await db`
    update webhooks.deliveries set attempts = 1, next_attempt_at = now()
    where seq = (select min(seq) from webhooks.deliveries where webhook_id = ${webhook_id})`
  const claimed = new Set<number>()
  // As likely as not a kind has its turn: one of them has none in 40 claims once in 10^12 runs.
  for (let n = 0; n < 40; n += 1) {
    await db`update webhooks.lanes set allowance = 1, counted_at = now() where webhook_id = ${webhook_id}`
    const deliveries = await claim(webhook_id)
    expect(deliveries).toHaveLength(1)
    claimed.add(deliveries[0]!.attempts)
    await queue.release(worker, deliveries)
  }
  expect(claimed).toEqual(new Set([0, 1]))

  await db`delete from webhooks.deliveries where webhook_id = ${webhook_id} and attempts = 0`
  for (let n = 0; n < 10; n += 1) {
    await db`update webhooks.lanes set allowance = 1, counted_at = now() where webhook_id = ${webhook_id}`
    const deliveries = await claim(webhook_id)
    expect(deliveries).toMatchObject([{ attempts: 1 }])
    await queue.release(worker, deliveries)
  }
})

it('settling does not wait until the deliveries of a disabled webhook are canceled', async () => {
  const webhook_id = await createWebhook('backlog')
  const delivery = await claimTest(webhook_id)
  await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })
  await db.begin(async (transaction) => {
    // Stands for the time that a large backlog takes.
    await transaction`
      select from webhooks.deliveries where webhook_id = ${webhook_id} and state = 'waiting' for update`
    await settle(delivery, 410)
    expect((await api.get('webhook', { webhook_id })).json().webhook.active).toBe(false)
  })
  await expect
    .poll(() => db`select state from webhooks.deliveries where webhook_id = ${webhook_id} order by seq`)
    .toEqual([{ state: 'failed' }, { state: 'canceled' }])
})
