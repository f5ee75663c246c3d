import { deleteInBatches } from '../../../outbox/delete-in-batches.js'
import type { Database } from '../../../platform/db/connection.js'

/** Rows deleted per statement, to keep statements short. */
const BATCH = 1_000
/** Idempotency keys count for 24 hours, and `retryable_fids` are returned at once. */
const RETENTION_DAYS = 2

/** Deletes batches that no idempotency key refers to any more. Campaigns and their counts stay. */
export async function deleteExpiredBatches(db: Database): Promise<void> {
  await deleteInBatches(
    BATCH,
    () => db`
      delete from miniapps.batches
      where id in (
        select id from miniapps.batches
        where state = 'ended' and ended_at < now() - ${RETENTION_DAYS} * interval '1 day'
        order by ended_at
        limit ${BATCH}
      )`,
  )
}
