import type { Database, Transaction } from '../../platform/db/connection.js'

const DAY_MS = 24 * 60 * 60 * 1000

/** Partitions are created this many days ahead, for clocks that are fast. */
const DAYS_AHEAD = 2

/** Longest wait for a lock: creating or dropping a partition blocks all readers meanwhile. */
const lockTimeout = '2s'

/** Returns the UTC day of a moment as a PostgreSQL date. */
export function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10)
}

/** Creates missing partitions of the event log, for yesterday to two days ahead. */
export async function ensurePartitions(db: Database | Transaction, nowMs: number): Promise<void> {
  for (let offset = -1; offset <= DAYS_AHEAD; offset += 1) {
    const from = dayOf(nowMs + offset * DAY_MS)
    const to = dayOf(nowMs + (offset + 1) * DAY_MS)
    const name = `hub.events_${from.replaceAll('-', '')}`
    await db.unsafe(
      `create table if not exists ${name} partition of hub.events for values from ('${from}') to ('${to}')`,
    )
  }
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
  const partitions = await db<{ name: string; day: string }[]>`
    select c.relname as name, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'hub.events'::regclass
    order by c.relname
  `
  const expired = partitions.filter(({ day }) => day < oldestKept)
  for (const { name } of expired) await dropPartition(db, name)
  await db`delete from hub.pruned_messages where day < ${oldestKept}::date`
  return expired.map(({ day }) => day)
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
