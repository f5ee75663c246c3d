import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { mergeBatch } from '../merge/merge.js'
import { dropExpiredPartitions, ensurePartitions } from './partitions.js'

const { db } = await createTestDatabase()
const dayMs = 86_400_000
const start = testNowUnix * 1000
const user = new TestUser(1)

async function mergeOn(nowMs: number, text: string): Promise<void> {
  await ensurePartitions(db, nowMs)
  const batch = { messages: [user.cast(text, testNow)], chainEvents: user.onChain(), nameTransfers: [] }
  await mergeBatch(db, 1, batch, { shards: 1, hooks: [] }, nowMs)
}

test('days past the retention are dropped whole, and the lowest retained id is recorded', async () => {
  await db`insert into hub.shards (shard) values (1)`
  for (const day of [0, 1, 2, 3, 4]) await mergeOn(start + day * dayMs, `day ${day}`)

  const dropped = await dropExpiredPartitions(db, start + 3 * dayMs, 3)
  expect(dropped).toEqual(['2026-10-31'])
  expect(await dropExpiredPartitions(db, start + 4 * dayMs, 3)).toEqual(['2026-11-01'])

  const [kept] = await db<{ oldest: number; days: number }[]>`
    select min(id) as oldest, count(distinct day) as days from hub.events
  `
  const [shard] = await db<{ first_retained_id: number }[]>`select first_retained_id from hub.shards`
  expect(kept!.days).toBe(4)
  expect(shard!.first_retained_id).toBeLessThanOrEqual(kept!.oldest)
  expect(shard!.first_retained_id).toBeGreaterThan(1 << 14)
  expect(await dropExpiredPartitions(db, start + 4 * dayMs, 3)).toEqual([])
})

test('a day that waits for a reader of the log holds no shard, whose merges would wait as well', async () => {
  let dropping: Promise<string[]> | undefined
  await db.begin(async (reader) => {
    await reader`select 1 from hub.events limit 1`
    dropping = dropExpiredPartitions(db, start + 5 * dayMs, 3)
    await expect
      .poll(
        async () =>
          (
            await db`
        select 1 from pg_locks
        where database = (select oid from pg_database where datname = current_database()) and not granted
      `
          ).length,
      )
      .toBe(1)
    expect(await reader`select shard from hub.shards for update nowait`).toEqual([{ shard: 1 }])
  })
  expect(await dropping).toEqual(['2026-11-02'])
})

test('messages remain when their events are dropped', async () => {
  await dropExpiredPartitions(db, start + 100 * dayMs, 3)
  expect(await db`select 1 from hub.events`).toHaveLength(0)
  expect(await db`select 1 from hub.messages`).toHaveLength(5)
})
