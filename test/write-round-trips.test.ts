import { beforeAll, expect, test } from 'vitest'
import { mergeHooks } from '../src/app/modules.js'
import { inboxConsumer } from '../src/features/notifications/refresh.js'
import { createWebhookConsumer } from '../src/features/webhooks/events/webhook-consumer.js'
import { type ConsumerCursor, consumeBatch, ensureCursors } from '../src/hub/log/consumer-batch.js'
import { ensurePartitions } from '../src/hub/log/partitions.js'
import { mergeBatch } from '../src/hub/merge/merge.js'
import { TestUser, testNow, testNowUnix } from './network.js'
import { createCountedDatabase } from './round-trips.js'

/**
 * What a block of casts costs in round trips: each waits for a turn of a busy process, so a write beside reads takes as
 * long as its round trips do.
 */

const nowMs = testNowUnix * 1000
const { db, roundTripsOf } = await createCountedDatabase()
const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))
const consumers = [inboxConsumer, createWebhookConsumer(() => nowMs)]
/** Statements are prepared when they are first used, in a round trip of its own. */
const WARM_UP_BLOCKS = 2
let blocks = 0

async function mergeBlock({ publishes = false, hasReply = true } = {}): Promise<number> {
  blocks += 1
  const [first, ...others] = users.map((user) => user.cast(`a root of block ${blocks}`, testNow))
  if (blocks === 1) root = first!
  const reply = users[0]!.cast(`a reply in block ${blocks}`, testNow, {
    parentCastId: { fid: 1, hash: root.hash },
    mentions: [2],
    mentionsPositions: [0],
    embeds: [{ url: `https://example.com/${blocks}` }],
  })
  const messages = [first!, ...others, ...(hasReply ? [reply] : [])]
  const outgoing = new Set(publishes ? messages : [])
  const batch = { chainEvents: [], nameTransfers: [], messages, outgoing }
  return await roundTripsOf(async () => {
    const { messages: outcomes } = await mergeBatch(db, 1, batch, { shards: 1, hooks: mergeHooks }, nowMs)
    expect(outcomes).toEqual(outcomes.map(() => null))
  })
}
let root = users[0]!.cast('replaced by the first block', testNow)

const expected = new Map<string, ConsumerCursor>()

async function consumeAll(): Promise<number> {
  return await roundTripsOf(async () => {
    for (const consumer of consumers) {
      const { signal } = new AbortController()
      const range = { shard: 1, limit: 1000, signal, expected: expected.get(consumer.name) }
      const outcome = await consumeBatch(db, consumer, range)
      if (outcome.state !== 'caughtUp') throw new Error(`the consumer is ${outcome.state}`)
      expected.set(consumer.name, outcome.cursor)
    }
  })
}

beforeAll(async () => {
  await ensurePartitions(db, nowMs)
  await db`insert into hub.shards (shard) values (1)`
  for (const consumer of consumers) await ensureCursors(db, consumer, [1])
  const chainEvents = users.flatMap((user) => user.onChain())
  const batch = { chainEvents, nameTransfers: [], messages: [] }
  await mergeBatch(db, 1, batch, { shards: 1, hooks: mergeHooks }, nowMs)
  for (let block = 0; block < WARM_UP_BLOCKS; block += 1) {
    await mergeBlock()
    await consumeAll()
  }
})

test('a block of casts that begin threads is merged in 3 round trips', async () => {
  expect(await mergeBlock({ hasReply: false })).toBe(3)
})

test('a block of casts with a reply is merged in at most 6 round trips', async () => {
  expect(await mergeBlock()).toBeLessThanOrEqual(6)
})

test('a block that is remembered for the upstream takes no round trip more', async () => {
  await mergeBlock({ publishes: true })
  expect(await mergeBlock({ publishes: true })).toBeLessThanOrEqual(6)
})

test('the consumers take a block, or many, in at most 6 round trips', async () => {
  await consumeAll()
  await mergeBlock()
  const ofOne = await consumeAll()
  for (let block = 0; block < 5; block += 1) await mergeBlock()
  const ofMany = await consumeAll()

  expect([ofOne, ofMany].filter((roundTrips) => roundTrips > 6)).toEqual([])
  expect(await consumeAll()).toBeLessThanOrEqual(6)
})
