import type { Database } from '../../platform/db/connection.js'
import { isConcurrentCreation, isLockTimeout } from '../../platform/db/connection-errors.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'
import { DAY_MS } from '../../platform/durations.js'

/** Partitions are created this many days ahead, for clocks that are fast. */
const DAYS_AHEAD = 2

/** Hashes of pruned messages that are deleted at once: a second's work. */
const PRUNED_BATCH = 20_000

/** Longest wait for a lock of the log, on which everybody else who needs one may wait meanwhile. */
const lockTimeout = '2s'

/** Returns the UTC day of a moment as a PostgreSQL date. */
function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10)
}

/** Days that bound the one of new events. */
export interface LogDays {
  /** The newest day of the log up to the latest one, of any shard; null when it has none. */
  readonly lastDay: string | null
  /** The day after the database's. */
  readonly latestDay: string
}

/**
 * Returns the day of new events: that of this process, but never one before the newest of the log. A process whose clock is
 * behind would put the newest ids into a day that is dropped before those of lower ids. Nor is it after the latest day: all
 * events would follow a process whose clock is ahead, and none be dropped until that day. Events that are there do not count.
 */
export function logDay(nowMs: number, { lastDay, latestDay }: LogDays): string {
  const ownDay = dayOf(nowMs)
  const day = ownDay < latestDay ? ownDay : latestDay
  return lastDay !== null && lastDay > day ? lastDay : day
}

/** Creates missing partitions of the event log, for yesterday to two days ahead; of a clock that is ahead, from the database's day on. */
export async function ensurePartitions(db: Database, nowMs: number): Promise<void> {
  const todayMs = Math.min(nowMs, (await databaseNow(db)) + DAY_MS)
  const days = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => todayMs + (index - 1) * DAY_MS)
  const existing = await listDays(db)
  for (const dayMs of days) {
    if (existing.has(dayOf(dayMs))) continue
    try {
      await createPartition(db, dayMs)
    } catch (error) {
      // Nothing is merged without today's partition. The others have time until the next run.
      const canWait = isLockTimeout(error) && dayMs !== todayMs
      const isThere = isConcurrentCreation(error) && (await listDays(db)).has(dayOf(dayMs))
      if (!canWait && !isThere) throw error
    }
  }
}

/** Attaches the partition of a day, which does not wait for those who read or write the log, as `create table … partition of` does. */
async function createPartition(db: Database, dayMs: number): Promise<void> {
  const [from, to] = [dayOf(dayMs), dayOf(dayMs + DAY_MS)]
  const name = `hub.events_${from.replaceAll('-', '')}`
  await db.begin(async (transaction) => {
    await transaction.unsafe(`set local lock_timeout = '${lockTimeout}'`)
    await transaction.unsafe(`create table ${name} (like hub.events including all)`)
    await transaction.unsafe(
      `alter table hub.events attach partition ${name} for values from ('${from}') to ('${to}')`,
    )
  })
}

interface Partition {
  readonly name: string
  readonly day: string
}

/** Lists the partitions of the log by their days. */
async function listPartitions(db: Database): Promise<Partition[]> {
  return await db<Partition[]>`
    select c.relname as name, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'hub.events'::regclass
    order by c.relname
  `
}

async function listDays(db: Database): Promise<Set<string>> {
  return new Set((await listPartitions(db)).map(({ day }) => day))
}

/**
 * Drops the days of the log that ended before the retention (docs/protocol.md §1.7).
 *
 * An event is kept for `retentionDays` to `retentionDays + 1` days; the days before the newest event are kept until there is a
 * newer one: all who merge may have a clock that is behind. `hub.shards` records the lowest retained id, so that
 * readers get an error and no silent gap. Hashes of pruned messages expire with their events.
 *
 * @returns the dropped days.
 */
export async function dropExpiredPartitions(
  db: Database,
  nowMs: number,
  retentionDays: number,
): Promise<string[]> {
  const oldestKept = dayOf(Math.min(nowMs, await readLastDay(db)) - retentionDays * DAY_MS)
  const dropped: string[] = []
  for (const { name, day } of await listPartitions(db)) {
    if (day < oldestKept && (await dropPartition(db, name, oldestKept))) dropped.push(day)
  }
  await runInBatches(
    PRUNED_BATCH,
    () => db`
      delete from hub.pruned_messages
      where hash = any (array(
        select hash from hub.pruned_messages where day < ${oldestKept}::date order by day limit ${PRUNED_BATCH}
      ))
    `,
  )
  return dropped
}

/** The earlier of this process's time and the database's, for what is gone once it is dropped: one may be ahead by days. */
export async function earlierNow(db: Database, nowMs: number): Promise<number> {
  return Math.min(nowMs, await databaseNow(db))
}

/** Reads the clock of the database, in Unix milliseconds. */
async function databaseNow(db: Database): Promise<number> {
  const [database] = await db<[{ nowMs: number }]>`
    select floor(extract(epoch from now()) * 1000)::bigint as "nowMs"`
  return database.nowMs
}

/** Reads the newest day that has events, as Unix milliseconds; infinite when no shard has any. */
async function readLastDay(db: Database): Promise<number> {
  const [newest] = await db<[{ lastDay: string | null }]>`
    select max(last_day)::text as "lastDay" from hub.shards`
  return newest.lastDay === null ? Number.POSITIVE_INFINITY : Date.parse(newest.lastDay)
}

/**
 * Drops a partition, unless it has ids above those of the days that are kept, which readers could not reach any more. Days to
 * come do not count: they are of a clock that was ahead, and older than what was logged since. Locks the log before the shards,
 * in the order of a merge, and waits for readers with no shard held. Returns whether it was dropped.
 */
async function dropPartition(db: Database, name: string, oldestKept: string): Promise<boolean> {
  return await db.begin(async (transaction) => {
    await transaction.unsafe(`set local lock_timeout = '${lockTimeout}'`)
    // Only the parent: the drop locks it as well, and the days that are kept may be in use by the autovacuum.
    await transaction`lock table only hub.events in access exclusive mode`
    const [unordered] = await transaction.unsafe(
      `
      select
      from hub.shards s
      where (select max(e.id) from hub.${name} e where e.shard = s.shard) > (
        select e.id from hub.events e
        where e.shard = s.shard and e.id >= s.first_retained_id
          and e.day between $1::date and (now() at time zone 'utc')::date + 1
        order by e.id limit 1
      )
      limit 1
    `,
      [oldestKept],
    )
    if (unordered !== undefined) return false
    await transaction.unsafe(`
      update hub.shards s
      set first_retained_id = greatest(
        first_retained_id,
        (select coalesce(max(e.id) + 1, 0) from hub.${name} e where e.shard = s.shard)
      )
    `)
    await transaction.unsafe(`drop table hub.${name}`)
    return true
  })
}
