import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { CastCountDeltas, UrlActivity } from './cast-counts.js'
import { projectLinks } from './links.js'
import { projectChanges, projectInto } from './project.js'

const { db, connect } = await createTestDatabase()
const other = connect({ poolSize: 1 })

/** Counts for three rows. The first and the last are written in the order of `keyIndexes`. */
const counters = [
  {
    table: 'cast_counts',
    row: (keyIndex: number) => `fid = ${keyIndex}`,
    given: (keyIndex: number) =>
      `insert into social.cast_counts (hash, fid, likes) values ('\\x0${keyIndex}', ${keyIndex}, 1) on conflict do nothing`,
    count: async (transaction: Transaction, keyIndexes: number[]) => {
      const deltas = new CastCountDeltas()
      for (const keyIndex of keyIndexes) deltas.add({ fid: keyIndex, hash: Buffer.of(keyIndex) }, 'likes', 1)
      await inPipeline(deltas.statements(transaction))
    },
  },
  {
    table: 'url_activity',
    row: (keyIndex: number) => `hour = ${keyIndex}`,
    given: (keyIndex: number) =>
      `insert into social.url_activity (url, hour, casts) values ('u', ${keyIndex}, 1) on conflict do nothing`,
    count: async (transaction: Transaction, keyIndexes: number[]) => {
      const activity = new UrlActivity()
      for (const keyIndex of keyIndexes) activity.add('u', keyIndex * 3600, 1)
      await inPipeline(activity.statements(transaction))
    },
  },
  {
    table: 'user_counts',
    row: (keyIndex: number) => `fid = ${keyIndex}`,
    given: (keyIndex: number) =>
      `insert into social.user_counts (fid, follower_count) values (${keyIndex}, 1) on conflict do nothing`,
    count: async (transaction: Transaction, keyIndexes: number[]) => {
      const added = keyIndexes.map((keyIndex) => new TestUser(keyIndex).link(keyIndex, testNow))
      await inPipeline(await projectLinks(transaction, { added, removed: [] }))
    },
  },
]

test.each(counters)('writers of $table lock its rows in one order', async (counter) => {
  for (const keyIndex of [3, 4, 5]) await db.unsafe(counter.given(keyIndex))
  for (const keyIndexes of [
    [5, 4, 3],
    [3, 4, 5],
  ]) {
    let counting: Promise<unknown> = Promise.resolve()
    await other.begin(async (holder) => {
      await holder.unsafe(`select from social.${counter.table} where ${counter.row(4)} for update`)
      counting = db.begin(async (transaction) => {
        await projectInto(transaction, 'social')
        await counter.count(transaction, keyIndexes)
        throw new Error('not to be kept')
      })
      counting.catch(() => {})
      const countWaiting = () => holder`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await expect.poll(countWaiting).toHaveLength(1)
      const freeRows = await holder.unsafe(
        `select ${counter.table}.* from social.${counter.table} for update skip locked`,
      )
      // The writer holds the second row, another transaction the first; the last is free.
      expect(freeRows).toHaveLength(2)
      const isFree = (keyIndex: number) =>
        holder.unsafe(
          `select from social.${counter.table} where ${counter.row(keyIndex)} for update skip locked`,
        )
      expect([await isFree(3), await isFree(5)].map((rows) => rows.length)).toEqual([0, 1])
    })
    await expect(counting).rejects.toThrow('not to be kept')
  }
})

test('a batch with replies and likes locks the counts of both in one order', async () => {
  const parents = [6, 7].map((fid) => new TestUser(fid).cast('a parent', testNow))
  const [low, high] = parents.toSorted((a, b) => a.data.fid - b.data.fid)
  const [user, parentCastId] = [new TestUser(8), { fid: high!.data.fid, hash: high!.hash }]
  const reply = user.cast('a reply', testNow, { parentCastId })
  let counting: Promise<unknown> = Promise.resolve()
  for (const { data, hash } of parents)
    await db`insert into social.cast_counts (hash, fid, likes) values (${db.types.bytea(hash)}, ${data.fid}, 1)`
  await other.begin(async (holder) => {
    await holder`select from social.cast_counts where fid = ${low!.data.fid} for update`
    counting = db.begin(async (transaction) => {
      await projectInto(transaction, 'social')
      const changes = { added: [reply, user.react(low!, testNow)], removed: [] }
      await inPipeline(await projectChanges(transaction, changes, { mode: 'exclusive' }))
    })
    counting.catch(() => {})
    const countWaiting = () => holder`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(countWaiting).toHaveLength(1)
    // It waits for the first count and holds no later one, which the other transaction may want.
    expect(
      await holder`select from social.cast_counts where fid = ${high!.data.fid} for update skip locked`,
    ).toHaveLength(1)
  })
  await counting
  expect(
    await db`select fid, likes, replies from social.cast_counts where fid in (6, 7) order by fid`,
  ).toEqual([
    { fid: 6, likes: 2, replies: 0 },
    { fid: 7, likes: 1, replies: 1 },
  ])
})
