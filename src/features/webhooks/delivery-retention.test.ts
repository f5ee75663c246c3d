import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createApp } from '../apps/apps.js'
import { testVault } from '../signers/testing/approved-signer.js'
import { deleteExpiredDeliveries, failOverdueDeliveries } from './delivery-retention.js'
import { redeliverSince } from './redelivery.js'
import { testWebhookSettings } from './testing/settings.js'
import { createWebhook } from './webhooks.js'

const { db } = await createTestDatabase()
const store = { db, vault: testVault, settings: testWebhookSettings }
const { id: appId } = await createApp(db, { name: 'orchard' })
const MAX_WAIT_DAYS = 7
const webhook = await createWebhook(store, appId, {
  title: 'test',
  targetUrl: 'https://hooks.plaza.social/in',
  filters: undefined,
})

beforeEach(async () => {
  await db`delete from webhooks.deliveries`
  await db`delete from webhooks.events`
})

/** Adds deliveries that were queued some days ago, each with its event. */
async function enqueue(days: number, { count = 1, attempts = 0, state = 'waiting' } = {}): Promise<void> {
  const name = randomUUID()
  await db`
    insert into webhooks.events (id, kind, happened_at, detected_at, subject, created_at)
    select ${name} || '-' || n, 'user.created', now(), now(), '{}', now() - ${days}::integer * interval '1 day'
    from generate_series(1, ${count}::integer) n`
  await db`
    insert into webhooks.deliveries (
      id, webhook_id, event_id, state, attempts, created_at, next_attempt_at, finished_at
    )
    select gen_random_uuid(), ${webhook.id}, id, ${state}, ${attempts}, created_at, created_at,
      case when ${state} in ('delivered', 'failed') then created_at end
    from webhooks.events
    where id like ${name} || '-%'
    order by id`
}

function countByState() {
  return db`
    select state, count(*)::integer as count from webhooks.deliveries group by state order by state`
}

/** Returns the number that is reported. */
async function failOverdue(): Promise<number> {
  let failed = 0
  await failOverdueDeliveries(db, MAX_WAIT_DAYS, (count) => {
    failed += count
  })
  return failed
}

it('deliveries that have waited for their turn too long fail with the reason, and others stay', async () => {
  await enqueue(9)
  await enqueue(8, { attempts: 3 })
  await enqueue(6)
  await enqueue(6, { attempts: 3 })
  await enqueue(9, { state: 'sending' })
  expect(await failOverdue()).toBe(2)
  const failed = await db`
    select attempts, failure, finished_at > now() - interval '1 hour' as "isNew"
    from webhooks.deliveries where state = 'failed' order by seq`
  const failure = 'not sent within 7 days'
  expect(failed).toEqual([
    { attempts: 0, failure, isNew: true },
    { attempts: 3, failure, isNew: true },
  ])
  expect(await countByState()).toEqual([
    { state: 'failed', count: 2 },
    { state: 'sending', count: 1 },
    { state: 'waiting', count: 2 },
  ])
})

it('a large backlog fails in batches, up to what is younger', async () => {
  await enqueue(8, { count: 12_000 })
  await enqueue(1, { count: 3 })
  expect(await failOverdue()).toBe(12_000)
  expect(await failOverdue()).toBe(0)
  expect(await countByState()).toEqual([
    { state: 'failed', count: 12_000 },
    { state: 'waiting', count: 3 },
  ])
})

it('what has failed is counted where a later batch throws', async () => {
  await enqueue(9, { count: 3 })
  await enqueue(8, { attempts: 3 })
  await db`alter table webhooks.deliveries add constraint broken check (state <> 'failed' or attempts <> 3)`
  onTestFinished(async () => void (await db`alter table webhooks.deliveries drop constraint broken`))
  const counts: number[] = []
  const run = failOverdueDeliveries(db, MAX_WAIT_DAYS, (count) => counts.push(count))
  await expect(run).rejects.toThrow('broken')
  expect(counts).toEqual([3])
})

it('deliveries that are being claimed are left alone, and nothing waits for them', async () => {
  await enqueue(9, { count: 3 })
  await enqueue(9, { attempts: 3, count: 3 })
  await db.begin(async (transaction) => {
    await transaction`
      select from webhooks.deliveries
      where seq in (select max(seq) from webhooks.deliveries group by attempts) for update`
    expect(await failOverdue()).toBe(4)
  })
  expect(await failOverdue()).toBe(2)
})

it('a delivery that is queued again waits from then on', async () => {
  await enqueue(9, { state: 'failed' })
  expect(await redeliverSince(db, webhook, new Date(0))).toBe(1)
  await enqueue(8)
  expect(await failOverdue()).toBe(1)
  expect(await db`select state from webhooks.deliveries order by seq`).toEqual([
    { state: 'waiting' },
    { state: 'failed' },
  ])
})

it('events without deliveries are deleted behind a backlog of those that wait', async () => {
  await enqueue(6, { count: 7_000 })
  await enqueue(5, { state: 'delivered', count: 6_000 })
  await enqueue(4, { count: 1 })
  await enqueue(4, { state: 'failed', count: 1 })
  await enqueue(1, { state: 'delivered' })
  await deleteExpiredDeliveries(db, 3)
  expect(await countByState()).toEqual([
    { state: 'delivered', count: 1 },
    { state: 'waiting', count: 7_001 },
  ])
  expect(await db`select count(*)::integer as count from webhooks.events`).toEqual([{ count: 7_002 }])
})
