import type { Queryable } from '../../../../platform/db/connection.js'
import { WorkerRegistry } from '../../../../platform/db/worker-registry.js'

/** Who sends. What the dead were sending is sent again: nobody knows whether it arrived. */
export const senderRegister = new WorkerRegistry('miniapps.senders', releaseBatches)

async function releaseBatches(db: Queryable, senderIds: readonly string[]): Promise<void> {
  await db`
    update miniapps.batches
    set state = 'waiting', sender = null
    where state = 'sending' and sender = any (${db.types.texts(senderIds)}::text[]::uuid[])`
}
