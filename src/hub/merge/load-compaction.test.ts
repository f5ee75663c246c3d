import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import type { SignedMessage } from '../../protocol/message.js'
import { ensurePartitions } from '../log/partitions.js'
import { loadCompaction } from './load-compaction.js'
import { createBatchState } from './testing/batch-state-fixture.js'
import { storedMerges } from './testing/stored-merges.js'

const statements: string[] = []
const { db } = await createTestDatabase({ onStatement: (sql) => statements.push(sql) })
const { merge } = storedMerges(db)
const alice = new TestUser(1)
const bob = new TestUser(2)

beforeAll(async () => {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`insert into hub.shards (shard) values (1) on conflict do nothing`
  await merge({ chainEvents: alice.onChain({ units: 10 }) })
})

/** Merges a batch, and returns how many of its statements name the table of cutoffs. */
async function cutoffStatements(...messages: SignedMessage[]): Promise<number> {
  statements.length = 0
  await merge({ messages })
  return statements.filter((sql) => sql.includes('hub.link_cutoffs')).length
}

test('only compact states, and links older than one, run statements for cutoffs', async () => {
  const remove = alice.link(3, testNow - 9, { remove: true })
  expect(await cutoffStatements(alice.cast('hello', testNow), alice.link(2, testNow - 9), remove)).toBe(0)
  // It displaces the remove, whose time it keeps: one statement reads, one writes.
  expect(await cutoffStatements(alice.compactLinks([2, 3], testNow - 5))).toBe(2)
  expect(await cutoffStatements(alice.link(3, testNow), alice.link(4, testNow - 4))).toBe(0)
  expect(await cutoffStatements(alice.link(2, testNow - 6))).toBe(1)
})

test('a compact state loads the links of its sender, and none of their compact states of other types', async () => {
  const follow = bob.link(3, testNow - 9)
  await merge({ chainEvents: bob.onChain() })
  await merge({ messages: [follow, bob.compactLinks([3], testNow - 8, 'block')] })
  const state = createBatchState()
  await db.begin((transaction) => loadCompaction(transaction, state, [bob.compactLinks([4], testNow)], []))
  expect([...state.storedMessagesOf(bob.fid)].map(({ hash }) => hash)).toEqual([follow.hash])
})
