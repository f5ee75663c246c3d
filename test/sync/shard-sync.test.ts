import { beforeEach, expect, test } from 'vitest'
import { blockOf } from '../../src/hub/log/hub-event.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'
import { createRecordingMetrics } from './test-sync.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const user = new TestUser(1)
await hub.submitOnChainEvents(user.onChain())

beforeEach(async () => {
  await db`truncate sync.cursors, sync.fids, hub.applied_offsets`
})

async function savedId(): Promise<number> {
  const [row] = await db<{ id: number }[]>`select next_id as id from sync.cursors`
  return row!.id
}

async function storedHashes(): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`select encode(hash, 'hex') as hash from hub.messages`
  return rows.map(({ hash }) => hash)
}

test('a stream that ends among the blocks that are read again leaves the cursor where it was', async () => {
  const casts = Array.from({ length: 20 }, (_, n) => user.cast(`${n}`, testNow - 100 + n))
  const log = logOf(casts.map((cast) => ({ messages: [cast] })))
  await startAtFirstEvent(db, upstreamOf(log))
  await followShard({ db, hub }, upstreamOf(log))
  const reached = await savedId()
  expect(blockOf(reached)).toBe(21)
  const rewound = log.filter(({ id }) => blockOf(id) === 14)
  await followShard({ db, hub }, upstreamOf(log, [rewound]))
  expect(await savedId()).toBe(reached)
})

test('many blocks count keys that no log has -> an event that the stream leaves out later is fetched', async () => {
  const casts = Array.from({ length: 30 }, (_, n) => user.cast(`key ${n}`, testNow - 100 + n))
  const log = logOf(casts.map((cast, n) => ({ messages: [cast], unlogged: n % 2 })))
  const left = log.filter(({ id }) => id !== log.at(-3)!.id)
  const batches = left.map((event) => [event])
  const client = upstreamOf(log, batches)
  await startAtFirstEvent(db, client)
  const metrics = createRecordingMetrics()
  await followShard({ db, hub }, client, { metrics })
  expect(metrics.found).toBe(1)
  expect(await storedHashes()).toEqual(expect.arrayContaining(casts.map(({ hash }) => hash.toString('hex'))))
})
