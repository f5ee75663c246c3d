import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { mergeBatch } from '../merge/merge.js'
import { dropExpiredPartitions, earlierNow, ensurePartitions } from './partitions.js'

const { db } = await createTestDatabase()
const dayMs = 86_400_000
// The database's clock bounds the days of the log: all of them are past.
const start = testNowUnix * 1000 - 500 * dayMs
const user = new TestUser(1)

/** The UTC day that is `offset` days after the start. */
const dayAt = (offset: number) => new Date(start + offset * dayMs).toISOString().slice(0, 10)

async function mergeOn(nowMs: number, text: string, into = db): Promise<void> {
  await ensurePartitions(into, nowMs)
  const batch = { messages: [user.cast(text, testNow)], chainEvents: user.onChain(), nameTransfers: [] }
  await mergeBatch(into, 1, batch, { shards: 1, hooks: [] }, nowMs)
}

test('days past the retention are dropped whole, and the lowest retained id is recorded', async () => {
  await db`insert into hub.shards (shard) values (1)`
  for (const day of [0, 1, 2, 3, 4]) await mergeOn(start + day * dayMs, `day ${day}`)

  const dropped = await dropExpiredPartitions(db, start + 3 * dayMs, 3)
  expect(dropped).toEqual([dayAt(-1)])
  expect(await dropExpiredPartitions(db, start + 4 * dayMs, 3)).toEqual([dayAt(0)])

  const [kept] = await db<{ oldest: number; days: number }[]>`
    select min(id) as oldest, count(distinct day) as days from hub.events
  `
  const [shard] = await db<{ first_retained_id: number }[]>`select first_retained_id from hub.shards`
  expect(kept!.days).toBe(4)
  expect(shard!.first_retained_id).toBeLessThanOrEqual(kept!.oldest)
  expect(shard!.first_retained_id).toBeGreaterThan(1 << 14)
  expect(await dropExpiredPartitions(db, start + 4 * dayMs, 3)).toEqual([])
})

test('a clock that is days ahead of the database does not end the log early', async () => {
  const ahead = Date.now() + 5 * dayMs
  expect(await earlierNow(db, ahead)).toBeLessThan(ahead - 4 * dayMs)
  expect(await earlierNow(db, start)).toBe(start)
})

test('a day that waits for a reader of the log holds no shard, whose merges would wait as well', async () => {
  await mergeOn(start + 5 * dayMs, 'day 5')
  // It waits for two seconds, in which a busy machine may not have looked.
  const drop = (): Promise<string[]> =>
    dropExpiredPartitions(db, start + 5 * dayMs, 3).catch((error) => {
      if (error.code !== '55P03') throw error
      return drop()
    })
  let dropping: Promise<string[]> | undefined
  await db.begin(async (reader) => {
    await reader`select 1 from hub.events limit 1`
    dropping = drop()
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
  expect(await dropping).toEqual([dayAt(1)])
})

test('the days before the newest event are kept until there is a newer one', async () => {
  expect(await dropExpiredPartitions(db, start + 100 * dayMs, 3)).toEqual([])
  expect(await db`select distinct day::text from hub.events order by day`).toEqual(
    [2, 3, 4, 5].map((offset) => ({ day: dayAt(offset) })),
  )
})

test('messages remain when their events are dropped', async () => {
  await mergeOn(start + 100 * dayMs, 'later')
  await dropExpiredPartitions(db, start + 100 * dayMs, 3)
  expect(await db`select distinct day::text from hub.events`).toEqual([{ day: dayAt(100) }])
  expect(await db`select 1 from hub.messages`).toHaveLength(7)
})

test('a merge by a process that is days behind: its events are of the newest day, and the log stays readable', async () => {
  const floor = () => db`select first_retained_id from hub.shards`
  const before = await floor()
  await mergeOn(start + 90 * dayMs, 'behind')
  await dropExpiredPartitions(db, start + 100 * dayMs, 3)
  expect(await floor()).toEqual(before)
  const days = await db<{ day: string }[]>`select day::text from hub.events order by id desc limit 2`
  expect(days.map(({ day }) => day)).toEqual([dayAt(100), dayAt(100)])
})

test('a merge by a process that is days ahead: its events are at most a day after the database', async () => {
  const { db: other } = await createTestDatabase()
  await other`insert into hub.shards (shard) values (1)`
  await mergeOn(Date.now() + 30 * dayMs, 'ahead', other)
  const [latest] = await other`
    select max(e.day) <= (now() at time zone 'utc')::date + 1 as "isNear", max(s.last_day) = max(e.day) as "isLast"
    from hub.events e, hub.shards s`
  expect(latest).toEqual({ isNear: true, isLast: true })
})

test('a log with a day that is far ahead: new events are of today, and days are dropped in time', async () => {
  const { db: other } = await createTestDatabase()
  await other`insert into hub.shards (shard) values (1)`
  await mergeOn(start, 'before', other)
  // As a database whose clock was ahead had it written.
  await other`create table hub.events_29990101 partition of hub.events for values from ('2999-01-01') to ('2999-01-02')`
  await other`update hub.events set day = '2999-01-01'`
  await other`update hub.shards set last_day = '2999-01-01'`
  for (const day of [1, 2, 5]) await mergeOn(start + day * dayMs, `day ${day}`, other)
  expect(await other`select last_day::text as day from hub.shards`).toEqual([{ day: dayAt(5) }])
  expect(await dropExpiredPartitions(other, start + 5 * dayMs, 3)).toContain(dayAt(1))
})

test('all who merge are days behind: the days before their newest event are kept', async () => {
  const { db: other } = await createTestDatabase()
  await other`insert into hub.shards (shard) values (1)`
  for (const day of [0, 1]) await mergeOn(start + day * dayMs, `behind ${day}`, other)
  expect(await dropExpiredPartitions(other, start + 30 * dayMs, 3)).toEqual([])
  expect(await other`select first_retained_id::integer as floor from hub.shards`).toEqual([{ floor: 0 }])
})

test('a day with ids above those of a kept one is dropped only after that one', async () => {
  const { db: other } = await createTestDatabase()
  await other`insert into hub.shards (shard) values (1)`
  for (const day of [0, 2, 5]) await mergeOn(start + day * dayMs, `day ${day}`, other)
  // As a process whose clock was behind wrote it before merges took the newest day.
  await other`
    update hub.events set day = case day when ${dayAt(0)}::date then ${dayAt(2)}::date else ${dayAt(0)}::date end
    where day in (${dayAt(0)}, ${dayAt(2)})`
  expect(await dropExpiredPartitions(other, start + 5 * dayMs, 3)).not.toContain(dayAt(0))
  expect(await dropExpiredPartitions(other, start + 6 * dayMs, 3)).toEqual([])
  await mergeOn(start + 6 * dayMs, 'day 6', other)
  expect(await dropExpiredPartitions(other, start + 6 * dayMs, 3)).toEqual(
    expect.arrayContaining([dayAt(0), dayAt(2)]),
  )
})

test('a new day waits for no reader of the log, and neither does a merge meanwhile', async () => {
  const later = start + 200 * dayMs
  await ensurePartitions(db, later)
  await db.begin(async (reader) => {
    await reader`select 1 from hub.events limit 1`
    const batch = { messages: [user.cast('meanwhile', testNow)], chainEvents: [], nameTransfers: [] }
    const ended = await Promise.all([
      ensurePartitions(db, later + dayMs),
      mergeBatch(db, 1, batch, { shards: 1, hooks: [] }, later),
    ])
    expect(ended[1].messages).toEqual([null])
    expect(await reader`select 1 from hub.events limit 1`).toHaveLength(1)
  })
  const [day] =
    await db`select to_regclass(${`hub.events_${dayAt(202).replaceAll('-', '')}`}) is not null as exists`
  expect(day).toEqual({ exists: true })
})

test('a new partition has the constraints and indexes of the log', async () => {
  await ensurePartitions(db, start)
  const [partition] = await db<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'hub.events'::regclass limit 1
  `
  const keyOf = (table: string) => db`
    select pg_get_constraintdef(oid) as key from pg_constraint where conrelid = ${`hub.${table}`}::regclass and contype = 'p'
  `
  expect(await keyOf(partition!.name)).toEqual(await keyOf('events'))
  const [attached] = await db`
    select from pg_inherits where inhparent = 'hub.events_pkey'::regclass
      and inhrelid = ${`hub.${partition!.name}_pkey`}::regclass
  `
  expect(attached).toBeDefined()
})

/** As its callers do: when another one has the lock for more than two seconds, once more. */
const ensured = (nowMs: number): Promise<unknown> =>
  ensurePartitions(db, nowMs).catch((error) => {
    if (error.code !== '55P03') throw error
    return ensured(nowMs)
  })

test('two processes that miss the same day at once both have it', async () => {
  for (const day of [300, 310, 320, 330]) {
    const ended = await Promise.allSettled([1, 2, 3].map(() => ensured(start + day * dayMs)))
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  }
})

test('a log that is locked: a later day is left for the next run, and without today an error is told', async () => {
  const today = start + 400 * dayMs
  await ensurePartitions(db, today)
  await db.begin(async (holder) => {
    await holder`lock table only hub.events in share update exclusive mode`
    await ensurePartitions(db, today + dayMs)
    await expect(ensurePartitions(db, today + 10 * dayMs)).rejects.toThrow('lock timeout')
  })
})

test('hashes of messages that were pruned before the kept days: are deleted in each run, also when it drops no day', async () => {
  await db`insert into hub.pruned_messages (hash, day) values ('\\x01', '2025-01-01'), ('\\x02', '2099-01-01')`
  expect(await dropExpiredPartitions(db, start, 3)).toEqual([])
  expect(await db`select encode(hash, 'hex') as hash from hub.pruned_messages`).toEqual([{ hash: '02' }])
})
