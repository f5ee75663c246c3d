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
export function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10)
}

/** Creates missing partitions of the event log, for yesterday to two days ahead. */
export async function ensurePartitions(db: Database, nowMs: number): Promise<void> {
  const days = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => nowMs + (index - 1) * DAY_MS)
  const existing = await listDays(db)
  for (const dayMs of days) {
    if (existing.has(dayOf(dayMs))) continue
    try {
      await createPartition(db, dayMs)
    } catch (error) {
      // Nothing is merged without today's partition. The others have time until the next run.
      const canWait = isLockTimeout(error) && dayMs !== nowMs
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
 * An event is kept for `retentionDays` to `retentionDays + 1` days. `hub.shards` records the lowest retained
 * id, so that readers get an error and no silent gap. Hashes of pruned messages expire with their events.
 *
 * @returns the dropped days.
 */
export async function dropExpiredPartitions(
  db: Database,
  nowMs: number,
  retentionDays: number,
): Promise<string[]> {
  const oldestKept = dayOf(nowMs - retentionDays * DAY_MS)
  const expired = (await listPartitions(db)).filter(({ day }) => day < oldestKept)
  for (const { name } of expired) await dropPartition(db, name)
  await runInBatches(
    PRUNED_BATCH,
    () => db`
      delete from hub.pruned_messages
      where hash = any (array(
        select hash from hub.pruned_messages where day < ${oldestKept}::date order by day limit ${PRUNED_BATCH}
      ))
    `,
  )
  return expired.map(({ day }) => day)
}

/** The earlier of this process's time and the database's, for what is gone once it is dropped: one may be ahead by days. */
export async function earlierNow(db: Database, nowMs: number): Promise<number> {
  const [database] = await db<[{ nowMs: number }]>`
    select floor(extract(epoch from now()) * 1000)::bigint as "nowMs"`
  return Math.min(nowMs, database.nowMs)
}

/** Drops a partition. Locks the log before the shards, in the order of a merge, and waits for readers with no shard held. */
async function dropPartition(db: Database, name: string): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction.unsafe(`set local lock_timeout = '${lockTimeout}'`)
    // Only the parent: the drop locks it as well, and the days that are kept may be in use by the autovacuum.
    await transaction`lock table only hub.events in access exclusive mode`
    await transaction.unsafe(`
      update hub.shards s
      set first_retained_id = greatest(
        first_retained_id,
        (select coalesce(max(e.id) + 1, 0) from hub.${name} e where e.shard = s.shard)
      )
    `)
    await transaction.unsafe(`drop table hub.${name}`)
  })
}
