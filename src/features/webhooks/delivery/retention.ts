import type { Database } from '../../../platform/db/connection.js'

/** So many rows go at once: short statements hold nobody up. */
const BATCH = 5_000

/** Forgets deliveries that ended longer ago than this, then the events that nobody waits for any more. */
export async function deleteExpiredDeliveries(db: Database, retentionDays: number): Promise<void> {
  const age = `${retentionDays} days`
  await inBatches(
    () => db`
      delete from webhooks.deliveries
      where id in (
        select id from webhooks.deliveries
        where finished_at < now() - ${age}::text::interval
        order by finished_at
        limit ${BATCH}
      )
      returning id`,
  )
  await inBatches(
    () => db`
      delete from webhooks.events
      where id in (
        select e.id
        from webhooks.events e
        where e.created_at < now() - ${age}::text::interval
          and not exists (select from webhooks.deliveries d where d.event_id = e.id)
        order by e.created_at
        limit ${BATCH}
      )
      returning id`,
  )
  await db`delete from webhooks.compacted_follows where created_at < now() - ${age}::text::interval`
}

async function inBatches(deleteBatch: () => PromiseLike<readonly unknown[]>): Promise<void> {
  while ((await deleteBatch()).length === BATCH) {
    // Until the last batch was not full.
  }
}
