import { WorkerRegistry } from '../../../../outbox/worker-registry.js'
import type { Database, Queryable } from '../../../../platform/db/connection.js'

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
