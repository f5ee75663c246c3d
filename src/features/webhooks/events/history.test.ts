import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { consumeBatch, ensureCursors } from '../../../hub/log/consumer-batch.js'
import { deleteOldHistoricalBlocks } from '../../../hub/log/historical-blocks.js'
import { MAX_BLOCK_EVENTS } from '../../../hub/log/hub-event.js'
import type { MergeItem } from '../../../hub/merge/shard-writer.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { ensureApp } from '../../apps/apps.js'
import { createWebhookConsumer } from './webhook-consumer.js'

const DAY_SECONDS = 24 * 60 * 60

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
let nowUnix = testNowUnix
const consumer = createWebhookConsumer(() => nowUnix * 1000)
const { signal } = new AbortController()
await ensureCursors(db, consumer, [1])
const appId = await ensureApp(db, 'development')
const filters = JSON.stringify({ 'cast.created': {}, 'cast.deleted': {}, 'user.created': {} })
await db`
  insert into webhooks.webhooks
    (app_id, title, target_url, http_timeout_ms, rate_limit, rate_limit_ms, filters, revision)
  values (${appId}::uuid, 'all', 'https://example.com', 1000, 1000, 60000, ${filters}::text::jsonb, 1)`
const user = new TestUser(1)
const newcomer = new TestUser(2)
await hub.submitOnChainEvents(user.onChain({ units: 3 }))
await consume()

beforeEach(async () => {
  nowUnix = testNowUnix
  await db`truncate webhooks.events, webhooks.deliveries`
})

async function consume(): Promise<void> {
  while ((await consumeBatch(db, consumer, { shard: 1, limit: 1000, signal })).state !== 'caughtUp');
}

const itemOf = (message: SignedMessage): MergeItem => ({ kind: 'message', message })

/** The kinds of the events that webhooks get, in their order. */
async function eventsOf(work: Promise<(object | null)[]>): Promise<string[]> {
  expect((await work).filter((refusal) => refusal !== null)).toEqual([])
  await consume()
  const rows = await db<{ kind: string }[]>`select kind from webhooks.events order by kind`
  return rows.map(({ kind }) => kind)
}

it('a user who is fetched from another hub: what is more than a day old is no event, what is newer is one', async () => {
  const old = newcomer.cast('of last year', testNow - 300 * DAY_SECONDS)
  const recent = newcomer.cast('of this morning', testNow - DAY_SECONDS / 2)
  const registered = newcomer.onChain({ units: 3 }).map((event) => ({
    ...event,
    blockTimestamp: testNowUnix - 301 * DAY_SECONDS,
  }))
  const account: MergeItem[] = registered.map((event) => ({ kind: 'chainEvent', event }))
  expect(await eventsOf(hub.submitItems(account, { origin: 'store' }))).toEqual([])
  expect(await eventsOf(hub.submitItems([old, recent].map(itemOf), { origin: 'store' }))).toEqual([
    'cast.created',
  ])
})

it('what comes by a log or is submitted is an event, however old it is', async () => {
  const [first, second] = [1, 2].map((n) => user.cast(`old ${n}`, testNow - 300 * DAY_SECONDS - n))
  const work = hub.submitItems([itemOf(first!)], { origin: 'log' })
  expect(await eventsOf(work)).toEqual(['cast.created'])
  expect(await eventsOf(hub.submit([second!]))).toEqual(['cast.created', 'cast.created'])
})

it('what comes by a log beside a comparison is an event, also what comes with a channel', async () => {
  const [copied, logged] = [1, 2].map((n) => user.cast(`beside ${n}`, testNow - 250 * DAY_SECONDS - n))
  const both = [
    hub.submitItems([itemOf(copied!)], { origin: 'store' }),
    hub.submitItems([{ ...itemOf(logged!), isHistorical: true } as MergeItem], { origin: 'log' }),
  ]
  expect(await eventsOf(Promise.all(both).then((refusals) => refusals.flat()))).toEqual(['cast.created'])
})

it('a deletion that another hub had for long is an event: it deletes something here', async () => {
  const cast = user.cast('removed elsewhere', testNow - 200 * DAY_SECONDS)
  expect(await eventsOf(hub.submit([cast]))).toEqual(['cast.created'])
  const removal = user.removeCast(cast.hash, testNow - 190 * DAY_SECONDS)
  expect(await eventsOf(hub.submitItems([itemOf(removal)], { origin: 'store' }))).toEqual([
    'cast.created',
    'cast.deleted',
  ])
})

it('what was new when it was copied is an event, also for a consumer that comes days later', async () => {
  nowUnix = testNowUnix + 3 * DAY_SECONDS
  const casts = [60, 2 * DAY_SECONDS].map((age) => user.cast(`${age} seconds old`, testNow - age))
  expect(await eventsOf(hub.submitItems(casts.map(itemOf), { origin: 'store' }))).toEqual(['cast.created'])
})

it('a user who was compared before: what is newer than that is an event, for two weeks', async () => {
  const daysAgo = (days: number) => new Date((testNowUnix - days * DAY_SECONDS) * 1000)
  const copy = (days: number) => {
    const cast = user.cast(`${days} days old`, testNow - days * DAY_SECONDS)
    return eventsOf(hub.submitItems([itemOf(cast)], { origin: 'store' }))
  }
  await db`insert into sync.fids (fid, backfilled_at, compared_at) values (1, ${daysAgo(90)}, ${daysAgo(5)})`
  expect(await copy(6)).toEqual([])
  expect(await copy(4)).toEqual(['cast.created'])

  await db`update sync.fids set compared_at = null where fid = 1`
  expect(await copy(15)).toEqual(['cast.created'])
  expect(await copy(13)).toEqual(['cast.created', 'cast.created'])
})

it('history is known for as long as the log has it', async () => {
  await db`update hub.historical_blocks set merged_at = now() - interval '1 year'`
  const blocks = async () => (await db`select block from hub.historical_blocks`).length
  const before = await blocks()
  await deleteOldHistoricalBlocks(db)
  expect([before > 0, await blocks()]).toEqual([true, before])
  await db`update hub.shards set first_retained_id = (height + 1) * ${MAX_BLOCK_EVENTS}`
  await deleteOldHistoricalBlocks(db)
  expect(await blocks()).toBe(0)
})
