import type { Database } from '../../platform/db/connection.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'

/** Deleted by one statement: tens of milliseconds. */
const DELETION_BATCH = 5_000

/** Deletes deliveries that ended longer ago than this, then events without deliveries. */
export async function deleteExpiredDeliveries(db: Database, retentionDays: number): Promise<void> {
  const age = `${retentionDays} days`
  await runInBatches(
    DELETION_BATCH,
    () => db`
      delete from webhooks.deliveries
      where id in (
        select id from webhooks.deliveries
        where finished_at < now() - ${age}::text::interval
        order by finished_at
        limit ${DELETION_BATCH}
      )
      -- Again, for those that are queued again meanwhile.
      and finished_at < now() - ${age}::text::interval`,
  )
  await runInBatches(
    DELETION_BATCH,
    () => db`
      delete from webhooks.events
      where id in (
        select e.id
        from webhooks.events e
        where e.created_at < now() - ${age}::text::interval
          and not exists (select from webhooks.deliveries d where d.event_id = e.id)
        order by e.created_at
        limit ${DELETION_BATCH}
      )`,
  )
  // A consumer that is behind needs what the log still has; it deletes what it has read.
  await db`
    delete from webhooks.compacted_follows c
    using hub.shards s
    where s.shard = c.shard and c.event_id < s.first_retained_id`
}
