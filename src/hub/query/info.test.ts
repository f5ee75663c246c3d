import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { holdTransaction } from '../../graph/project/testing/transaction-locks.js'
import { cacheHubInfo } from './info.js'

const { db, connect } = await createTestDatabase()
await db`insert into hub.shards (shard, height) values (1, 5)`

test('the counts of the hub are taken one at a time, and hold for ten seconds, also where the clock goes back', async () => {
  let nowMs = 1_000_000
  const read = cacheHubInfo(connect(), () => nowMs)
  const height = async () => (await read()).shards[0]!.height
  const held = await holdTransaction(db, (transaction) => transaction`lock table hub.shards`)
  const first = read()
  nowMs += 60_000
  expect(read()).toBe(first)
  await held.release()
  expect(await height()).toBe(5)
  await db`update hub.shards set height = 6`
  nowMs += 9_999
  expect(await height()).toBe(5)
  nowMs += 1
  expect(await height()).toBe(6)
  await db`update hub.shards set height = 7`
  nowMs -= 3_600_000
  expect(await height()).toBe(7)
})

test('a count that fails is not begun again by each reader', async () => {
  let nowMs = 1_000_000
  const read = cacheHubInfo(db, () => nowMs)
  await db`alter table hub.shards rename to shards_away`
  try {
    await expect(read()).rejects.toThrow('shards')
  } finally {
    await db`alter table hub.shards_away rename to shards`
  }
  await expect(read()).rejects.toThrow('shards')
  nowMs += 10_000
  expect((await read()).shards).toHaveLength(1)
})
