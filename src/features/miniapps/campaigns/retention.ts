import type { Database } from '../../../platform/db/connection.js'

/** So many rows go at once: short statements hold nobody up. */
const BATCH = 1_000
/** An idempotency key counts for 24 hours, and `retryable_fids` are answered at once. */
const RETENTION_DAYS = 2

/** Forgets whom batches have told, once no idempotency key asks for it. Campaigns and their counts stay. */
export async function deleteExpiredBatches(db: Database): Promise<void> {
  for (let deletedCount = BATCH; deletedCount === BATCH; ) {
    const rows = await db`
      delete from miniapps.batches
      where id in (
        select id from miniapps.batches
        where state = 'ended' and ended_at < now() - ${RETENTION_DAYS} * interval '1 day'
        order by ended_at
        limit ${BATCH}
      )`
    deletedCount = rows.count
  }
}
