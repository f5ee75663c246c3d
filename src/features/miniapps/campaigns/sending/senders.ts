import type { Queryable } from '../../../../platform/db/connection.js'
import { WorkerRegister } from '../../../../platform/db/worker-register.js'

/** Who sends. What the dead were sending is sent again: nobody knows whether it arrived. */
export const senders = new WorkerRegister('miniapps.senders', release)

async function release(db: Queryable, dead: readonly string[]): Promise<void> {
  await db`
    update miniapps.batches
    set state = 'waiting', sender = null
    where state = 'sending' and sender = any (${db.types.texts(dead)}::text[]::uuid[])`
}
