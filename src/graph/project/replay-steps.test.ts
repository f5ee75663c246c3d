import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import type { MergeBatch } from '../../hub/merge/batch.js'
import { type MergeHook, mergeBatch } from '../../hub/merge/merge.js'
import type { SignedMessage } from '../../protocol/message.js'
import { shardOf } from '../../protocol/shard.js'
import { projectEvents } from './project.js'
import { type ReplayOptions, replay } from './replay.js'
import { emptyHub } from './testing/empty-hub.js'
import { readModel, readModelTables } from './testing/read-model.js'
import { countLockWaiters, createGate, holdIndexBuild, holdTransaction } from './testing/transaction-locks.js'

const shards = 2
const { db, connect } = await createTestDatabase({ poolSize: 4 })
const other = connect({ poolSize: 3 })
const users = [1, 2, 3, 4, 5].map((fid) => new TestUser(fid))
const url = 'https://example.com/a'

let migratedCatalogue: Awaited<ReturnType<typeof catalogue>>
beforeAll(async () => {
  migratedCatalogue = await catalogue()
  await ensurePartitions(db, testNowUnix * 1000)
})

beforeEach(async () => {
  await emptyHub(db, ['hub.shards'])
  await db`insert into hub.shards (shard) values (1), (2)`
  for (const user of users) await mergeInto(shardOf(user.fid, shards), { chainEvents: user.onChain() })
})

async function mergeInto(shard: number, batch: Partial<MergeBatch>, ...hooks: MergeHook[]): Promise<void> {
  const transactionHooks = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  const settings = { shards, hooks: [projectEvents, ...hooks] }
  const { messages } = await mergeBatch(other, shard, transactionHooks, settings, testNowUnix * 1000)
  expect(messages).toEqual(messages.map(() => null))
}

async function merge(...messages: SignedMessage[]): Promise<void> {
  for (const message of messages) await mergeInto(shardOf(message.data.fid, shards), { messages: [message] })
}

/** A thread in which every user casts, and follows, which repeat in every round. */
function createMessages(name: string, at = testNow - 200): SignedMessage[] {
  const root = users[0]!.cast(`root ${name}`, at, { parentUrl: url })
  return [
    root,
    ...users.map((user, n) =>
      user.cast(`reply ${name}`, at + 1 + n, { parentCastId: { fid: 1, hash: root.hash } }),
    ),
    ...users.slice(1).map((user, n) => user.react(root, at + 10 + n)),
    ...users.slice(1).map((user, n) => user.link(n + 1, at + 20 + n)),
  ]
}

const replayed = (options: Partial<ReplayOptions> = {}) => replay(db, { shards, ...options })

/** Runs a replay, and something else once the stored messages are projected and before indexes are built. */
async function replayConcurrently(
  work: () => Promise<void>,
  options: Partial<ReplayOptions> = {},
): Promise<void> {
  let running: Promise<unknown> | undefined
  const casts = await holdIndexBuild(db, other, () => {
    running = replayed(options)
    running.catch(() => {})
  })
  await work()
  await casts.release()
  await running
}

test.each([1, 3, 15, 2000])(
  'a replay in pages of %i reports its progress and misses nothing',
  async (pageRows) => {
    await merge(...createMessages('one'))
    const merged = await readModel(db)
    await db.unsafe(readModelTables.map((table) => `delete from social.${table}`).join(';'))
    const progressReports: unknown[] = []
    const total = createMessages('one').length
    await replayed({
      pageRows,
      onStep: (step) => progressReports.push(step),
      onProgress: (done, of) => progressReports.push([done, of]),
    })
    expect(await readModel(db)).toEqual(merged)
    const pages = Array.from({ length: Math.ceil(total / pageRows) }, (_, n) => [
      Math.min((n + 1) * pageRows, total),
      total,
    ])
    expect(progressReports).toEqual(['accounts', ...pages, 'indexes', 'catching up'])
  },
)

test('the load reads the replies of its casts by an index, however many casts there are', async () => {
  const [author] = users as [TestUser]
  await mergeInto(shardOf(author.fid, shards), { chainEvents: [author.storageRentEvent(200, 999)] })
  const casts = Array.from({ length: 12_000 }, (_, n) =>
    author.cast(`cast ${n}`, testNow - 10_000 + n, {
      parentCastId: { fid: 2, hash: Buffer.alloc(20, `${n % 6_000}`) },
    }),
  )
  for (let start = 0; start < casts.length; start += 1_000) {
    await mergeInto(shardOf(author.fid, shards), { messages: casts.slice(start, start + 1_000) })
  }
  const replaying = connect({ poolSize: 3, applicationName: 'plaza replay' })
  await replay(replaying, { shards, pageRows: 20 })
  // Statistics are complete when the sessions have ended.
  await replaying.end()
  await expect
    .poll(
      () =>
        db`select from pg_stat_activity where application_name = 'plaza replay' and datname = current_database()`,
    )
    .toHaveLength(0)
  const [row] = await db<{ rowsRead: number }[]>`
    select seq_tup_read as "rowsRead" from pg_stat_all_tables where relid = 'social.casts'::regclass
  `
  // Building an index reads all rows once, and as long as there are few, reading all is as cheap: 280,000 in PostgreSQL 15,
  // however many there are. Without the index it is a thousand for each of them.
  expect(row!.rowsRead).toBeLessThan(casts.length * 50)
})

test.each([1, 4, 2000])(
  'a replay that follows the log in pages of %i has the merges of both shards',
  async (pageRows) => {
    await merge(...createMessages('before'))
    await replayConcurrently(() => merge(...createMessages('meanwhile', testNow - 100)), { pageRows })
    const replayedModel = await readModel(db)
    expect(replayedModel.casts).toHaveLength(12)
    expect(replayedModel.casts!.filter((row) => row.includes('meanwhile'))).toHaveLength(6)
    await replayed()
    expect(await readModel(db)).toEqual(replayedModel)
  },
)

test('a compact state merged during a replay removes, keeps and allows what it should', async () => {
  const [alice, bob] = users as [TestUser, TestUser]
  await merge(alice.link(2, testNow - 9), alice.link(3, testNow - 9), bob.link(1, testNow - 9))
  await replayConcurrently(() =>
    merge(alice.link(4, testNow - 9), alice.compactLinks([3], testNow - 8), alice.link(5, testNow - 7)),
  )
  expect(await db`select fid, target_fid from social.follows order by 1, 2`).toEqual([
    { fid: 1, target_fid: 3 },
    { fid: 1, target_fid: 5 },
    { fid: 2, target_fid: 1 },
  ])
})

test('what is merged while a replay reads the stored messages counts once', async () => {
  const [alice, bob] = users as [TestUser, TestUser]
  await merge(...createMessages('before'))
  const root = createMessages('before')[0]!
  const fids = await holdTransaction(other, (sql) => sql`lock table hub.fids in access exclusive mode`)
  const running = replayed({ pageRows: 3 })
  running.catch(() => {})
  // The replay has the log position, and has read no message.
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  const accounts = await holdTransaction(other, (sql) => sql`lock table social_replay.users in share mode`)
  await fids.release()
  await expect.poll(() => countLockWaiters(db, '\n    insert into users')).toBe(1)
  await merge(
    bob.react(root, testNow - 50, { remove: true }),
    alice.removeCast(createMessages('before')[1]!.hash, testNow - 49),
    bob.link(1, testNow - 48, { remove: true }),
    alice.react(root, testNow - 47),
    bob.cast('meanwhile', testNow - 46, { parentCastId: { fid: 1, hash: root.hash } }),
  )
  await accounts.release()
  await running
  const replayedModel = await readModel(db)
  await replayed()
  expect(await readModel(db)).toEqual(replayedModel)
})

test('a replay waits for a merge that has not committed', async () => {
  const [commitGate, replayRun] = [createGate(), createGate()]
  const late = users[1]!.cast('late', testNow)
  const merging = mergeInto(shardOf(2, shards), { messages: [late] }, async () => {
    replayRun.open()
    await commitGate.opened
  })
  await replayRun.opened
  const running = replayed()
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  commitGate.open()
  await Promise.all([merging, running])
  expect(await db`select text from social.casts`).toEqual([{ text: 'late' }])
})

test('a log that was pruned past the replay’s position ends the replay', async () => {
  await merge(...createMessages('before'))
  const [head] = await db<{ id: number }[]>`select max(id) as id from hub.events where shard = 1`
  const dropBelow = (id: number) => async () => {
    await db`update hub.shards set first_retained_id = ${id} where shard = 1`
  }
  await replayConcurrently(dropBelow(head!.id + 1))
  await expect(replayConcurrently(dropBelow(head!.id + 2))).rejects.toThrow(
    `the log dropped events of shard 1 after ${head!.id} during the replay: keep events for longer`,
  )
})

test('all events pruned: a replay follows from the end of the pruned log', async () => {
  await merge(...createMessages('before'))
  await db`update hub.shards s set first_retained_id = 1 + (select max(id) from hub.events e where e.shard = s.shard)`
  await db`delete from hub.events`
  await replayed()
  const { casts } = await readModel(db)
  expect(casts).toHaveLength(6)
})

test('a replay copies scores, also those that are being written', async () => {
  await db`update social.users set score = fid / 10.0 where fid in (1, 2)`
  const scoring = await holdTransaction(
    other,
    (sql) => sql`update social.users set score = 0.75 where fid = 2`,
  )
  const running = replayed()
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  await scoring.release()
  await running
  expect(await db`select fid, score from social.users order by fid`).toEqual([
    { fid: 1, score: 0.1 },
    { fid: 2, score: 0.75 },
    ...[3, 4, 5].map((fid) => ({ fid, score: null })),
  ])
})

test('a replay copies scores for as long as it takes, and in the swap only those that have changed', async () => {
  await merge(...createMessages('before'))
  await db`update social.users set score = fid / 10.0`
  const scoring = await holdTransaction(
    other,
    (sql) => sql`update social.users set score = 0.75 where fid = 2`,
  )
  const limits: unknown[] = []
  const running = replayed({
    onSwap: async (transaction) => void limits.push(...(await transaction`show statement_timeout`)),
  })
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  const copied = await db`select fid from social_replay.users where score is null`
  await scoring.release()
  await running
  expect(copied).toEqual([])
  expect(limits).toEqual([{ statement_timeout: '0' }])
  expect(await db`select score from social.users where fid in (1, 2) order by fid`).toEqual([
    { score: 0.1 },
    { score: 0.75 },
  ])
})

test('a replay keeps imported verified accounts', async () => {
  await db`insert into social.verified_accounts (fid, platform, username, verified_at) values (1, 'x', 'alice', 9)`
  const stopped = new Error('stopped')
  await expect(replayed({ onSwap: () => Promise.reject(stopped) })).rejects.toBe(stopped)
  await replayed()
  expect(await db`select fid, platform, username from social.verified_accounts`).toEqual([
    { fid: 1, platform: 'x', username: 'alice' },
  ])
  await db`delete from social.verified_accounts`
})

test.each([
  ['reader of the imported accounts', 'select from social.verified_accounts'],
  ['writer of scores', 'update social.users set score = 0.5 where fid = 2'],
])('merges go on while the swap cannot get past a %s', async (_who, statement) => {
  await merge(...createMessages('before'))
  const holder = await holdTransaction(other, (sql) => sql.unsafe(statement))
  const running = replayed()
  running.catch(() => {})
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  await merge(users[2]!.cast('meanwhile', testNow))
  await merge(...createMessages('again', testNow - 100))
  await holder.release()
  await running
  const replayedModel = await readModel(db)
  expect(replayedModel.casts).toHaveLength(13)
  await replayed()
  expect(await readModel(db)).toEqual(replayedModel)
})

/** Everything that the catalog says about the schema. */
async function catalogue() {
  return await Promise.all([
    db`
      select c.relname, c.relkind, c.reloptions, obj_description(c.oid)
      from pg_class c
      where c.relnamespace = 'social'::regnamespace
      order by 1
    `,
    db`
      select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated,
        pg_get_expr(d.adbin, d.adrelid)
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where c.relnamespace = 'social'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by 1, a.attnum
    `,
    db`select indexname, indexdef from pg_indexes where schemaname = 'social' order by 1`,
    db`
      select conname, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'social'::regnamespace
      order by conname, 2
    `,
  ])
}

test('the new tables equal the old ones in the catalog and are analyzed', async () => {
  await merge(...createMessages('one'))
  await replayed()
  expect(await catalogue()).toEqual(migratedCatalogue)
  const analysed = await db<{ table: string }[]>`
    select distinct tablename as table from pg_stats where schemaname = 'social' order by 1
  `
  expect(analysed.map(({ table }) => table)).toContain('casts')
})

test('what an earlier replay left is dropped, before and after', async () => {
  for (const schema of ['social_replay', 'social_replaced']) {
    await db.unsafe(`create schema ${schema}; create table ${schema}.casts (left_over integer)`)
  }
  await merge(...createMessages('one'))
  await replayed()
  expect(await db`select from social.casts`).toHaveLength(6)
  expect(await db`select from pg_namespace where nspname like 'social\\_%'`).toHaveLength(0)
})
