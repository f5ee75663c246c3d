import { WorkerRegistry } from '../../../../outbox/worker-registry.js'
import type { Database, Queryable } from '../../../../platform/db/connection.js'
import { unusedWindows } from './batch-results.js'

/** The senders of batches. Batches of a dead sender are sent again: nobody knows whom they have reached. */
export const batchSenders = new WorkerRegistry('miniapps.senders', releaseBatches)

async function releaseBatches(db: Queryable, senderIds: readonly string[]): Promise<void> {
  await db`
    update miniapps.batches
    set state = 'waiting', sender = null
    where state = 'sending' and sender = any (${db.types.texts(senderIds)}::text[]::uuid[])`
}

/** Gives back what a sender has claimed, apart from these batches: it does not know of the others. */
export async function releaseLostBatches(
  db: Database,
  sender: string,
  inHandIds: readonly string[],
): Promise<void> {
  await db`
    update miniapps.batches
    set state = 'waiting', sender = null
    where state = 'sending' and sender = ${sender}::uuid
      and id <> all (${db.types.texts(inHandIds)}::text[]::bigint[])`
}

/**
 * Gives back batches that a sender has claimed and not begun to send: nobody has claimed them, and their users have their
 * places in the rate windows again. Those that a dead sender had before stay claimed, as it may have sent them.
 */
export async function releaseUnsentBatches(
  db: Database,
  sender: string,
  batches: readonly { readonly batchId: number; readonly isAgain: boolean }[],
): Promise<void> {
  const againIds = batches.filter(({ isAgain }) => isAgain).map(({ batchId }) => batchId)
  await db`
    with batch as materialized (
      select id, app_id, client_fid, fids, claimed_at, id = any (${againIds}::bigint[]) as is_again
      from miniapps.batches
      where id = any (${batches.map(({ batchId }) => batchId)}::bigint[])
        and state = 'sending' and sender = ${sender}::uuid
      order by id
      for update
    ),
    missed as materialized (
      select b.app_id, member.fid, b.client_fid, b.claimed_at
      from batch b
      cross join unnest(b.fids) as member (fid)
      where not b.is_again
    ),
    ${unusedWindows(db)}
    update miniapps.batches b
    set state = 'waiting', sender = null, claimed_at = case when batch.is_again then b.claimed_at end
    from batch
    where b.id = batch.id`
}
