import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { SyncWatch } from './sync-progress.js'

const { db } = await createTestDatabase()

/** A watch at a time that the test sets, and the newest blocks of upstreams as seconds behind it. */
async function open(cursors: readonly (readonly [upstream: string, shard: number])[]) {
  await db`truncate sync.cursors`
  let now = testNow
  const watch = new SyncWatch(db, () => (testNowUnix - testNow + now) * 1000)
  return {
    watch,
    /** Reads so many seconds later, with each cursor so many seconds behind; null: nothing was merged yet. */
    async readAfter(seconds: number, ...behind: (number | null)[]) {
      now += seconds
      for (const [index, [upstream, shard]] of cursors.entries()) {
        const at = behind[index]
        const blockTime = at === null ? 0 : now - at!
        await db`
          insert into sync.cursors (upstream, shard, next_id, block_time)
          values (${upstream}, ${shard}, 1, ${blockTime})
          on conflict (upstream, shard) do update set block_time = excluded.block_time
        `
      }
      return (await watch.read())!
    },
  }
}

it('the slowest shard of an upstream counts, and of several upstreams the one that is ahead', async () => {
  const { readAfter } = await open([
    ['a', 1],
    ['a', 2],
    ['b', 1],
  ])
  expect((await readAfter(0, 1_000, 100, 600)).secondsLeft).toBeNull()
  expect((await readAfter(100, 100, 1_000, 500)).secondsLeft).toBe(500)
  // Upstream b stands still; a comes closer by 9 seconds each.
  expect((await readAfter(100, 100, 90, 700)).secondsLeft).toBe(40)
})

it('the time that is left: unknown while it gets no closer, and 0 at the end of the log', async () => {
  const { readAfter } = await open([['a', 1]])
  expect((await readAfter(0, 500)).secondsLeft).toBeNull()
  expect((await readAfter(20, 500)).secondsLeft).toBeNull()
  expect((await readAfter(20, 520)).secondsLeft).toBeNull()
  expect((await readAfter(20, 31)).secondsLeft).toBe(4)
  expect((await readAfter(20, 30)).secondsLeft).toBe(0)
  expect((await readAfter(1, -5)).shards).toMatchObject([{ behindSeconds: 0 }])
})

it('the pace is that of the last 20 reads', async () => {
  const { readAfter } = await open([['a', 1]])
  await readAfter(0, 100_000)
  for (let number = 0; number < 19; number += 1) await readAfter(10, 5_000)
  expect((await readAfter(10, 4_000)).secondsLeft).toBe(760)
})

it('the pace is that of the last 10 minutes, however few reads there were', async () => {
  const { readAfter } = await open([['a', 1]])
  await readAfter(0, 100_000)
  expect((await readAfter(60, 90_000)).secondsLeft).toBe(540)
  expect((await readAfter(6 * 3_600, 80_000)).secondsLeft).toBeNull()
  expect((await readAfter(60, 79_000)).secondsLeft).toBe(4_740)
})

it('a shard of which nothing was merged has no time, and without any there is none', async () => {
  const { readAfter } = await open([
    ['a', 1],
    ['a', 2],
  ])
  expect(await readAfter(0, null, null)).toMatchObject({ shards: [], secondsLeft: null })
  expect(await readAfter(10, null, 100)).toMatchObject({
    shards: [{ upstream: 'a', shard: 2, behindSeconds: 100 }],
    secondsLeft: null,
  })
})

it('of upstreams that are no longer configured: nothing, unless none is', async () => {
  await db`truncate sync.cursors`
  await db`insert into sync.cursors (upstream, shard, next_id, block_time) values ('a', 1, 1, 1000), ('b', 1, 1, 1000)`
  const upstreamsOf = async (...upstreams: string[]) =>
    (await new SyncWatch(db, Date.now, upstreams).read())?.shards.map(({ upstream }) => upstream)
  expect(await upstreamsOf('b', 'c')).toEqual(['b'])
  expect(await upstreamsOf('c')).toBeUndefined()
  expect(await upstreamsOf()).toEqual(['a', 'b'])
})

it('a backfill without cursors is progress, and has no time while nothing was fetched lately', async () => {
  await db`truncate sync.cursors`
  await db`insert into sync.fids (fid, backfilled_at) values (1, null), (2, now() - interval '11 minutes')`
  expect(await new SyncWatch(db, Date.now).read()).toEqual({
    shards: [],
    backfill: { fetched: 1, remaining: 1, secondsLeft: null },
    secondsLeft: null,
  })
  // A backfill that began two minutes ago has fetched a user a minute.
  await db`
    insert into sync.fids (fid, backfilled_at)
    values (3, now() - interval '2 minutes'), (4, now() - interval '1 minute'), (5, null), (6, null)`
  expect((await new SyncWatch(db, Date.now).read())?.backfill.secondsLeft).toBeCloseTo(180, -2)
  await db`update sync.fids set backfilled_at = now()`
  expect(await new SyncWatch(db, Date.now).read()).toBeNull()
})
