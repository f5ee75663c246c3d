import { expect, test } from 'vitest'
import { blockOf } from '../../src/hub/log/hub-event.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const user = new TestUser(1)
await hub.submitOnChainEvents(user.onChain())

async function savedId(): Promise<number> {
  const [row] = await db<{ id: number }[]>`select next_id as id from sync.cursors`
  return row!.id
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
