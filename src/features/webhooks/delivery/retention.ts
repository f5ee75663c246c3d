import { deleteInBatches } from '../../../outbox/delete-in-batches.js'
import type { Database } from '../../../platform/db/connection.js'

const BATCH = 5_000

/** Deletes deliveries that ended longer ago than this, then events without deliveries. */
export async function deleteExpiredDeliveries(db: Database, retentionDays: number): Promise<void> {
  const age = `${retentionDays} days`
  await deleteInBatches(
    BATCH,
    () => db`
      delete from webhooks.deliveries
      where id in (
        select id from webhooks.deliveries
        where finished_at < now() - ${age}::text::interval
        order by finished_at
        limit ${BATCH}
      )`,
  )
  await deleteInBatches(
    BATCH,
    () => db`
      delete from webhooks.events
      where id in (
        select e.id
        from webhooks.events e
        where e.created_at < now() - ${age}::text::interval
          and not exists (select from webhooks.deliveries d where d.event_id = e.id)
        order by e.created_at
        limit ${BATCH}
      )`,
  )
  await db`delete from webhooks.compacted_follows where created_at < now() - ${age}::text::interval`
}
