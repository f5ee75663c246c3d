import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import type { MergeBatch } from '../../hub/merge/batch.js'
import { type MergeHook, mergeBatch } from '../../hub/merge/merge.js'
import { projectEvents } from './project.js'
import { recount } from './recount.js'
import { emptyHub } from './testing/empty-hub.js'
import { countLockWaiters, createGate, holdTransaction } from './testing/transaction-locks.js'
import { lockThreadsExclusively } from './thread-lock.js'

const shards = 2
const { db, connect } = await createTestDatabase()
const recounting = connect({ poolSize: 1 })
const users = [1, 2].map((fid) => new TestUser(fid)) as [TestUser, TestUser]
const [alice, bob] = users
const url = 'https://example.com/a'

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))

beforeEach(async () => {
  await emptyHub(db, ['hub.shards', 'channels.channels'])
  await db`insert into hub.shards (shard) values (1), (2)`
  await mergeInto(1, { chainEvents: users.flatMap((user) => user.onChain()) })
})

async function mergeInto(shard: number, batch: Partial<MergeBatch>, ...hooks: MergeHook[]): Promise<void> {
  const transactionHooks = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  await mergeBatch(
    db,
    shard,
    transactionHooks,
    { shards, hooks: [projectEvents, ...hooks] },
    testNowUnix * 1000,
  )
}

async function wrongRows(): Promise<string[]> {
  const reports = await recount(recounting, { shards })
  return reports.filter(({ wrong }) => wrong > 0).map(({ name }) => name)
}

/** Runs a recount while a transaction is about to commit, which the recount must wait for. */
async function recountConcurrently(release: () => Promise<unknown>): Promise<string[]> {
  const running = wrongRows()
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  await release()
  return await running
}

test.each([1, 2])('recount counts what a merge into shard %i is about to commit', async (shard) => {
  const root = alice.cast('root', testNow - 9, { parentUrl: url })
  await mergeInto(shard, { messages: [root, bob.link(1, testNow - 9)] })
  await db.unsafe(`
    update hub.set_counts set count = count + 5;
    update social.user_counts set following_count = 7;
    insert into social.cast_counts (hash, fid, likes) select hash, fid, 7 from social.casts;
    update social.url_activity set casts = 7;
  `)
  const [commitGate, recountRun] = [createGate(), createGate()]
  const reply = bob.cast('reply', testNow - 8, { parentCastId: { fid: 1, hash: root.hash } })
  const messages = [reply, alice.link(2, testNow), bob.react(root, testNow)]
  const merging = mergeInto(shard, { messages }, async () => {
    recountRun.open()
    await commitGate.opened
  })
  await recountRun.opened
  const wrong = await recountConcurrently(async () => {
    commitGate.open()
    await merging
  })
  expect(wrong).toEqual([
    'messages in sets',
    'followers and follows',
    'likes, recasts, replies and quotes',
    'casts per hour below URLs',
  ])
  expect(await wrongRows()).toEqual([])
})

test('a reply about to be committed below a cast with a wrong thread is repaired with it', async () => {
  const root = alice.cast('root', testNow - 9, { parentUrl: url })
  await mergeInto(1, { messages: [root] })
  await db`update social.casts set root_parent_url = 'https://example.com/wrong'`
  const [commitGate, recountRun] = [createGate(), createGate()]
  const reply = bob.cast('reply', testNow - 8, { parentCastId: { fid: 1, hash: root.hash } })
  const merging = mergeInto(2, { messages: [reply] }, async () => {
    recountRun.open()
    await commitGate.opened
  })
  await recountRun.opened
  const reports = recount(recounting, { shards })
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  commitGate.open()
  await merging
  expect((await reports)[0]).toEqual({ name: 'threads of casts', wrong: 2 })
  expect(await db`select root_parent_url from social.casts`).toEqual([
    { root_parent_url: url },
    { root_parent_url: url },
  ])
})

test('recount waits for a waiting thread that is about to move, and moves none of its casts itself', async () => {
  const root = alice.cast('root', testNow - 9, { parentUrl: url })
  const reply = bob.cast('reply', testNow - 8, { parentCastId: { fid: 1, hash: root.hash } })
  await mergeInto(1, { messages: [root] })
  await mergeInto(2, { messages: [reply] })
  await db`update social.casts set thread_hash = hash where hash = ${reply.hash}`
  const moving = await holdTransaction(db, async (sql) => {
    await lockThreadsExclusively(sql)
    await sql`update social.casts set thread_hash = ${root.hash} where hash = ${reply.hash}`
  })
  const wrong = await recountConcurrently(() => moving.release())
  expect(wrong).toEqual([])
})

test('recount counts a channel follow about to be committed, and waits for no other range', async () => {
  await db.unsafe(`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, follower_count)
    values ('a', 'u1', 'u1', 'A', 1, 1, 0), ('aa', 'u2', 'u2', 'AA', 1, 1, 1), ('b', 'u3', 'u3', 'B', 1, 1, 0);
    insert into channels.follows (channel_id, fid, followed_at) values ('a', 1, 1), ('b', 1, 1);
  `)
  const follows = await holdTransaction(db, async (sql) => {
    await sql`insert into channels.follows (channel_id, fid, followed_at) values ('b', 2, 1)`
    await sql`update channels.channels set follower_count = follower_count + 1 where id = 'b'`
  })
  const reports = recount(recounting, { shards, chunkRows: 1 })
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  expect(await db`select follower_count from channels.channels where id = 'a'`).toEqual([
    { follower_count: 1 },
  ])
  await follows.release()
  expect((await reports).filter(({ wrong }) => wrong > 0)).toEqual([
    { name: 'followers of channels', wrong: 2 },
  ])
  expect(await db`select id, follower_count from channels.channels order by id`).toEqual([
    { id: 'a', follower_count: 1 },
    { id: 'aa', follower_count: 1 },
    { id: 'b', follower_count: 2 },
  ])
})

test('recount reports the number of each chunk', async () => {
  const progressReports: number[] = []
  await recount(recounting, { shards, onChunk: (chunks) => progressReports.push(chunks) })
  expect(progressReports).toEqual([1, 2, 3, 4, 5, 6, 7])
})
