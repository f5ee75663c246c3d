import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { TestUser, testNow } from '../../../test/network.js'
import { consumeBatch, ensureCursors } from '../../hub/log/consumer-batch.js'
import { shardNumbers } from '../../hub/shard-count.js'
import { kindName } from './kinds.js'
import { inboxConsumer, rebuildInbox } from './refresh.js'
import { consumeInbox } from './testing/consume-inbox.js'
import { histories, users } from './testing/inbox-history.js'
import { groupsOf, type ModelRow, membersOf, storedMessages } from './testing/inbox-model.js'
import { createInboxNetwork } from './testing/inbox-network.js'

const { db, hub, shards, reset, submit } = await createInboxNetwork()

beforeEach(() => reset())

const sorted = (rows: ModelRow[]) => rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort()

async function inboxRows(): Promise<ModelRow[]> {
  const rows = await db<(Omit<ModelRow, 'kind'> & { kind: number })[]>`
    select fid, kind, encode(hash, 'hex') as hash, ts, actor, root_url as "rootUrl" from inbox.notifications
  `
  return rows.map((row) => ({ ...row, kind: kindName(row.kind) }))
}

async function expectRight(): Promise<void> {
  const expected = groupsOf(membersOf(await storedMessages(db)))
  expect(sorted(await inboxRows())).toEqual(sorted(expected))
  const before = await db`select * from inbox.notifications order by hash, kind, fid`
  expect(await db.begin((transaction) => rebuildInbox(transaction))).toEqual({ written: 0, removed: 0 })
  await db`delete from inbox.notifications`
  await db.begin((transaction) => rebuildInbox(transaction))
  expect(await db`select * from inbox.notifications order by hash, kind, fid`).toEqual(before)
}

test("inbox: any history of messages gives the model's rows, also after a rebuild", async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(
        fc.record({ shard: fc.integer({ min: 1, max: shards }), limit: fc.integer({ min: 1, max: 6 }) }),
        {
          minLength: 60,
          maxLength: 60,
        },
      ),
      async (steps, reads) => {
        await reset()
        await ensureCursors(db, inboxConsumer, shardNumbers(shards))
        for (const [index, step] of steps.entries()) {
          await submit(step)
          const signal = new AbortController().signal
          await consumeBatch(db, inboxConsumer, { ...reads[index % reads.length]!, signal })
        }
        await consumeInbox(db, { shards, limit: 5 })
        await expectRight()
      },
    ),
    { numRuns: 40 },
  )
})

test('inbox: replaying events changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      await reset()
      for (const step of steps) await submit(step)
      await consumeInbox(db, { shards })
      await db`update hub.consumers set next_id = 1`
      await consumeInbox(db, { shards, limit: 3 })
      await expectRight()
    }),
    { numRuns: 15 },
  )
})

test('inbox: pruned messages create no notifications', async () => {
  // 200 links per storage unit; older ones are pruned.
  const links = Array.from({ length: 230 }, (_, n) => users[0]!.link(100 + n, testNow - 1000 + n))
  await hub.submit(links)
  await consumeInbox(db, { shards })
  expect(await inboxRows()).toHaveLength(200)
  await expectRight()
})

test('inbox: follows removed by a compact state disappear', async () => {
  const [alice, bob] = users as [TestUser, TestUser]
  await hub.submit([alice.link(3, testNow - 9), bob.link(3, testNow - 8), bob.link(4, testNow - 7)])
  await consumeInbox(db, { shards })
  expect(await hub.submit([bob.compactLinks([7], testNow - 5)])).toEqual([null])
  await consumeInbox(db, { shards })
  expect(await inboxRows()).toMatchObject([{ fid: 3, kind: 'follows', actor: 1 }])
  await expectRight()
})

test('inbox: many likes of one cast -> one row at the newest', async () => {
  const cast = users[0]!.cast('like me', testNow - 100)
  const crowd = Array.from({ length: 30 }, (_, n) => new TestUser(100 + n))
  await hub.submitOnChainEvents(crowd.flatMap((user) => user.onChain()))
  await hub.submit([cast, ...crowd.map((user, n) => user.react(cast, testNow - 40 + n))])
  await consumeInbox(db, { shards })
  expect(await inboxRows()).toEqual([
    { fid: 1, kind: 'likes', hash: cast.hash.toString('hex'), ts: testNow - 11, actor: 129, rootUrl: null },
  ])
})
