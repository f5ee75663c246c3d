import { Value } from '@sinclair/typebox/value'
import { expect, it } from 'vitest'
import { verifyWebhook } from '../../../../packages/verify-webhook/index.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Cast } from '../../../graph/view/schema/cast.js'
import { User } from '../../../graph/view/schema/user.js'
import { cancelWaitingOfInactive } from '../cancel-waiting.js'
import { outcomeOf } from '../delivery/outcome.js'
import { deleteExpiredDeliveries } from '../delivery-retention.js'
import { webhookEventKinds } from '../schema/webhook-filters.js'
import { sampleData } from '../test-delivery.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const api = await createTestApi({ db, hub, clock: () => testNowUnix * 1000 })
const other = await createTestApi({ db, appName: 'other' })

async function createWebhook(path: string): Promise<string> {
  const body = { name: path, url: `https://hooks.plaza.social/${path}`, subscription: { 'user.created': {} } }
  return (await api.send('POST', 'webhook', body)).json().webhook.webhook_id
}

async function addTests(webhook_id: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const sent = (await api.send('POST', 'webhook/test', { webhook_id, type: 'follow.created' })).json()
    ids.push(sent.delivery_id)
  }
  return ids
}

it('are listed newest first, in pages, by status', async () => {
  const webhook_id = await createWebhook('listed')
  const ids = await addTests(webhook_id, 7)
  await db`update webhooks.deliveries set state = 'failed', attempts = 3, status = 500 where id = ${ids[2]!}`
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const reply = await api.get('webhook/deliveries', { webhook_id, limit: 3, cursor })
    const page: { deliveries: { delivery_id: string }[]; next: { cursor: string | null } } = reply.json()
    seen.push(...page.deliveries.map(({ delivery_id }) => delivery_id))
    cursor = page.next.cursor
  }
  expect(seen).toEqual(ids.toReversed())
  const failed = (await api.get('webhook/deliveries', { webhook_id, status: 'failed' })).json().deliveries
  expect(failed).toMatchObject([
    { delivery_id: ids[2], type: 'follow.created', attempts: 3, response_code: 500, next_attempt_at: null },
  ])
  expect(
    (await api.get('webhook/deliveries', { webhook_id, type: 'cast.created' })).json().deliveries,
  ).toEqual([])
  expect((await other.get('webhook/deliveries', { webhook_id })).statusCode).toBe(404)
})

it('are shown with the request and the response of the last attempt', async () => {
  const webhook_id = await createWebhook('shown')
  const [delivery_id] = (await addTests(webhook_id, 1)) as [string]
  const show = async (by = api) => await by.get('webhook/delivery', { delivery_id })
  expect((await show()).json()).toMatchObject({ delivery: { delivery_id }, request: null, response: null })
  await db`
    update webhooks.deliveries
    set state = 'waiting', attempts = 2, last_attempt_at = now(), status = 500, response = 'no such route'
    where id = ${delivery_id}`
  const { delivery, request, response } = (await show()).json()
  expect(response).toEqual({ status: 500, body: 'no such route' })
  expect(request).toMatchObject({
    url: 'https://hooks.plaza.social/shown',
    headers: { 'webhook-id': delivery_id, 'x-plaza-attempt': '2' },
  })
  const secret = (await api.get('webhook', { webhook_id })).json().webhook.secrets[0].value
  const now = () => Date.parse(delivery.last_attempt_at)
  expect(verifyWebhook(request.body, request.headers, secret, { now })).toBe(true)
  expect((await show(other)).statusCode).toBe(404)
})

it('keep the beginning of a response that PostgreSQL can store', () => {
  const targetUrl = 'https://a.example'
  const delivery = { id: '1', webhookId: '2', targetUrl, attempts: 0, sinceFirstAttemptMs: 0 }
  const attempt = { delivery, attemptedAtMs: 0, nowMs: 1, random: 0 }
  const answer = (status: number, text: string) =>
    outcomeOf(
      { status, headers: {}, bytes: Buffer.from(text), isTruncated: false, url: 'https://a.example' },
      attempt,
    ).response
  expect(answer(500, 'a\0b')).toBe('a\ufffdb')
  expect(answer(500, '\u{1f345}'.repeat(10_000))).toHaveLength(1_000)
  expect([answer(500, ''), answer(200, 'done')]).toEqual([null, null])
})

it('are queued again, one or all since a time, with the same ids', async () => {
  const webhook_id = await createWebhook('again')
  const [one, two, three] = (await addTests(webhook_id, 3)) as [string, string, string]
  const redeliver = (body: object, by = api) => by.send('POST', 'webhook/deliveries/redeliver', body)
  expect((await redeliver({ delivery_id: one })).statusCode).toBe(409)
  await db`update webhooks.deliveries set state = 'delivered', attempts = 2 where id = ${one}`
  await db`
    update webhooks.deliveries set state = 'failed', attempts = 13, created_at = now() - interval '2 days'
    where id = ${two}`
  await db`update webhooks.deliveries set state = 'canceled' where id = ${three}`
  expect((await redeliver({ delivery_id: one }, other)).statusCode).toBe(404)
  expect((await redeliver({ delivery_id: one })).json()).toMatchObject({ redelivered: 1 })
  const since = new Date(Date.now() - 3_600_000).toISOString()
  expect((await redeliver({ webhook_id, since })).json()).toMatchObject({ redelivered: 1 })
  const rows = await db`
    select id, state, attempts, attempts_before from webhooks.deliveries
    where webhook_id = ${webhook_id} order by seq`
  expect(rows).toEqual([
    { id: one, state: 'waiting', attempts: 0, attempts_before: 2 },
    { id: two, state: 'failed', attempts: 13, attempts_before: 0 },
    { id: three, state: 'waiting', attempts: 0, attempts_before: 0 },
  ])
  expect((await redeliver({ webhook_id })).json()).toMatchObject({ status: 400, property: 'since' })
  await api.send('PATCH', 'webhook', { webhook_id, active: 'false' })
  expect((await redeliver({ webhook_id, since })).statusCode).toBe(409)
  expect((await redeliver({ delivery_id: one })).statusCode).toBe(409)
})

it.each([
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '2026-02-30T25:00:00Z',
])('are not queued again since %s, which the database cannot hold', async (since) => {
  const webhook_id = await createWebhook(`since/${since}`)
  const reply = await api.send('POST', 'webhook/deliveries/redeliver', { webhook_id, since })
  expect(reply.json()).toMatchObject({ status: 400, property: 'since' })
})

it('are canceled when their webhook is deactivated', async () => {
  const webhook_id = await createWebhook('off')
  await addTests(webhook_id, 1)
  await api.send('PATCH', 'webhook', { webhook_id, active: 'false' })
  expect((await api.get('webhook/deliveries', { webhook_id })).json().deliveries).toMatchObject([
    { status: 'canceled', failure: 'the webhook was deactivated' },
  ])
  expect((await api.send('POST', 'webhook/test', { webhook_id })).statusCode).toBe(409)
})

it('keep no other webhook waiting while they are canceled', async () => {
  const webhook_id = await createWebhook('backlog')
  const [delivery_id] = (await addTests(webhook_id, 1)) as [string]
  let disabling: ReturnType<typeof api.send> | undefined
  await db.begin(async (transaction) => {
    // Stands for the time that a large backlog takes.
    await transaction`select from webhooks.deliveries where id = ${delivery_id} for update`
    disabling = api.send('PATCH', 'webhook', { webhook_id, active: 'false' })
    await expect
      .poll(async () => (await api.get('webhook', { webhook_id })).json().webhook.active)
      .toBe(false)
    expect(await createWebhook('not-waiting')).toBeDefined()
  })
  expect((await disabling)?.statusCode).toBe(200)
  expect((await api.get('webhook/deliveries', { webhook_id })).json().deliveries).toMatchObject([
    { delivery_id, status: 'canceled' },
  ])
})

it('are canceled and queued again, however many there are', async () => {
  const webhook_id = await createWebhook('many')
  await db`
    insert into webhooks.events (id, kind, happened_at, detected_at, subject)
    select 'many-' || n, 'user.created', now(), now(), '{"type":"user","fid":1}' from generate_series(1, 10_500) n`
  await db`
    insert into webhooks.deliveries (id, webhook_id, event_id)
    select gen_random_uuid(), ${webhook_id}, 'many-' || n from generate_series(1, 10_500) n`
  const states = () => db`
    select state, count(*) as count from webhooks.deliveries where webhook_id = ${webhook_id} group by state`
  await api.send('PATCH', 'webhook', { webhook_id, active: 'false' })
  expect(await states()).toEqual([{ state: 'canceled', count: 10_500 }])
  await api.send('PATCH', 'webhook', { webhook_id, active: 'true' })
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const again = await api.send('POST', 'webhook/deliveries/redeliver', { webhook_id, since })
  expect(again.json()).toMatchObject({ redelivered: 10_500 })
  expect(await states()).toEqual([{ state: 'waiting', count: 10_500 }])
})

it('are found by type behind more others than one request reads', async () => {
  const webhook_id = await createWebhook('typed')
  const [delivery_id] = await addTests(webhook_id, 1)
  await db`
    insert into webhooks.events (id, kind, happened_at, detected_at, subject)
    select 'typed-' || n, 'user.created', now(), now(), '{"type":"user","fid":1}' from generate_series(1, 20_500) n`
  await db`
    insert into webhooks.deliveries (id, webhook_id, event_id)
    select gen_random_uuid(), ${webhook_id}, 'typed-' || n from generate_series(1, 20_500) n order by n`
  const filter = { webhook_id, type: 'follow.created' }
  const first = (await api.get('webhook/deliveries', filter)).json()
  expect(first).toEqual({ deliveries: [], next: { cursor: expect.any(String) } })
  const second = (await api.get('webhook/deliveries', { ...filter, cursor: first.next.cursor })).json()
  expect(second).toMatchObject({ deliveries: [{ delivery_id }], next: { cursor: null } })
})

it('are canceled when they were queued after their webhook had ended', async () => {
  const webhookIds = [
    await createWebhook('active'),
    await createWebhook('inactive'),
    await createWebhook('gone'),
  ]
  const [active, inactive, gone] = webhookIds as [string, string, string]
  for (const webhookId of webhookIds) await addTests(webhookId, 2)
  await api.send('PATCH', 'webhook', { webhook_id: inactive, active: 'false' })
  await api.send('DELETE', 'webhook', { webhook_id: gone })
  // A worker has tried the second of each, and gives it back.
  await db`
    update webhooks.deliveries d
    set state = 'waiting', finished_at = null, failure = null,
      attempts = (select count(*) from webhooks.deliveries e where e.webhook_id = d.webhook_id and e.seq < d.seq)
    where webhook_id = any (${db.types.texts(webhookIds)}::text[]::uuid[])`
  await cancelWaitingOfInactive(db)
  const states = await db`
    select webhook_id, state, failure, finished_at is not null as "isFinished" from webhooks.deliveries
    where webhook_id = any (${db.types.texts(webhookIds)}::text[]::uuid[]) order by seq`
  const waiting = { state: 'waiting', failure: null, isFinished: false }
  const canceled = { state: 'canceled', failure: 'the webhook is inactive', isFinished: true }
  expect(states).toEqual([
    ...[active, active].map((webhook_id) => ({ webhook_id, ...waiting })),
    ...[inactive, inactive, gone, gone].map((webhook_id) => ({ webhook_id, ...canceled })),
  ])
})

it('that are queued again while expired ones are deleted stay', async () => {
  const ids = await addTests(await createWebhook('expired'), 2)
  await db`
    update webhooks.deliveries set state = 'failed', finished_at = now() - interval '8 days'
    where id = any (${db.types.texts(ids)}::text[]::uuid[])`
  let deleting: Promise<void> | undefined
  await db.begin(async (transaction) => {
    await transaction`update webhooks.deliveries set state = 'waiting', finished_at = null where id = ${ids[0]!}`
    deleting = deleteExpiredDeliveries(db, 7)
    // Outside of the transaction, in which the first look at the sessions would be repeated.
    const waiting = () => db`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from webhooks.deliveries%'`
    await expect.poll(waiting).toHaveLength(1)
  })
  await deleting
  const left =
    await db`select id from webhooks.deliveries where id = any (${db.types.texts(ids)}::text[]::uuid[])`
  expect(left).toEqual([{ id: ids[0] }])
})

it('of test events have the shapes of the API', () => {
  for (const kind of webhookEventKinds) {
    const sample = sampleData(kind, '2026-11-01T00:00:00.000Z')
    const schema = kind.startsWith('cast') ? Cast : kind.startsWith('user') ? User : null
    if (schema) expect([...Value.Errors(schema, sample)]).toEqual([])
  }
})

it('are previewed before a webhook exists', async () => {
  const [alice, bob] = [new TestUser(1), new TestUser(2)]
  await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  const casts = [1, 2, 3].map((n) => alice.cast(`gm ${n}`, testNow - 100 + n))
  await hub.submit([...casts, bob.cast('gn', testNow - 50), bob.link(1, testNow - 40)])
  await hub.submit([alice.removeCast(casts[0]!.hash, testNow - 30)])
  // No webhook gets what is copied with a user.
  const history = alice.cast('gm of last year', testNow - 300 * 86_400)
  await hub.submitItems([{ kind: 'message', message: history }], { origin: 'store' })
  const subscription = {
    'cast.created': { text: '^gm' },
    'cast.deleted': {},
    'follow.created': { target_fids: [1] },
    'reaction.created': {},
  }
  const reply = (await api.send('POST', 'webhook/preview', { subscription, samples: 2 })).json()
  expect(reply).toMatchObject({
    matched: 5,
    matched_by_type: { 'cast.created': 3, 'cast.deleted': 1, 'follow.created': 1 },
    complete: true,
    samples: [
      { type: 'cast.deleted', data: { object: 'cast', text: 'gm 1', author: { fid: 1 } } },
      { type: 'follow.created', data: { user: { fid: 2 }, target_user: { fid: 1 } } },
    ],
  })
  const wrong = await api.send('POST', 'webhook/preview', { subscription: { 'cast.created': { text: '[' } } })
  expect(wrong.json()).toMatchObject({ status: 400, property: 'subscription.cast.created.text' })
})

it('are previewed with the published trades of the last three days', async () => {
  const unix = testNowUnix
  await db`
    insert into tokens.tokens (id, network, address, name, symbol, decimals) overriding system value
    values (7, 'base', decode(repeat('07', 20), 'hex'), 'Apple', 'APL', 0),
      (8, 'base', decode(repeat('08', 20), 'hex'), 'Dollar', 'USD', 0)`
  await db`
    insert into tokens.trades (
      network, block, log_index, traded_at, transaction_hash, pool, protocol_family, protocol_version, trader,
      sold_id, sold, bought_id, bought, usd, published
    )
    select 'base', block, 0, ${unix}::bigint - age, decode(repeat('ab', 32), 'hex'), decode(repeat('cd', 20), 'hex'),
      'uniswap', 'v3', decode(repeat('ef', 20), 'hex'), 8, usd, 7, 1, usd, is_final
    from (
      values (4, 10, 90, false), (3, 20, 60, true), (2, 30, 5, true), (1, 259201, 70, true)
    ) as made (block, age, usd, is_final)`
  const trades = { minimum_token_amount_usdc: 50 }
  const preview = async (subscription: object) =>
    (await api.send('POST', 'webhook/preview', { subscription, samples: 1 })).json()
  expect(await preview({ 'trade.created': trades })).toMatchObject({
    matched: 1,
    matched_by_type: { 'trade.created': 1 },
    looked_at: 2,
    complete: true,
    since: new Date((unix - 3 * 86_400) * 1000).toISOString(),
    samples: [{ type: 'trade.created', data: { transaction: { network: { name: 'base' } } } }],
  })
  const both = await preview({ 'trade.created': trades, 'cast.created': {} })
  expect(both.matched_by_type['trade.created']).toBe(1)
  expect(both.samples).toHaveLength(1)
})
