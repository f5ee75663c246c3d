import type { Database, Transaction } from '../../platform/db/connection.js'

const dayMs = 24 * 60 * 60 * 1000

/** Partitions are made this many days before they are needed, so that a clock that runs ahead finds one. */
const daysAhead = 2

/** No other lock may wait behind this one for longer: `drop` and `create` of a partition stop all readers. */
const lockTimeout = '2s'

/** The UTC day of a moment, as PostgreSQL writes dates. */
export function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10)
}

/** Makes the partitions of the event log for today and the days to come, where they are missing. */
export async function ensurePartitions(db: Database | Transaction, nowMs: number): Promise<void> {
  for (let offset = -1; offset <= daysAhead; offset += 1) {
    const from = dayOf(nowMs + offset * dayMs)
    const to = dayOf(nowMs + (offset + 1) * dayMs)
    await db.unsafe(
      `create table if not exists ${partitionName(from)} partition of hub.events for values from ('${from}') to ('${to}')`,
    )
  }
}

function partitionName(day: string): string {
  return `hub.events_${day.replaceAll('-', '')}`
}

/**
 * Drops the days of the log that are over for longer than the retention, whole. An event is so kept for
 * `retentionDays` to `retentionDays + 1` days. What was dropped is remembered in `hub.shards`, so that readers
 * can be told which event is the oldest. What the log has told of pruning is forgotten with it.
 *
 * @returns the days that were dropped.
 */
export async function dropExpiredPartitions(
  db: Database,
  nowMs: number,
  retentionDays: number,
): Promise<string[]> {
  const oldestKept = dayOf(nowMs - retentionDays * dayMs)
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

async function dropPartition(db: Database, name: string): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction.unsafe(`set local lock_timeout = '${lockTimeout}'`)
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
