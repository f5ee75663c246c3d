import type { Database, Queryable } from '../../../platform/db/connection.js'
import { WorkerRegistry } from '../../../platform/db/worker-registry.js'

/** Who sends. What the dead were sending is sent again: nobody knows whether it arrived. */
export const deliveryWorkers = new WorkerRegistry('webhooks.workers', releaseDeliveries)

async function releaseDeliveries(db: Queryable, workers: readonly string[]): Promise<void> {
  const ids = db.types.texts(workers)
  await db`
    update webhooks.deliveries
    set state = 'waiting', worker = null
    where state = 'sending' and worker = any (${ids}::text[]::uuid[])`
  await db`update webhooks.lanes set worker = null where worker = any (${ids}::text[]::uuid[])`
}

/** Webhooks for which something is due that nobody, or this worker, looks after. */
export async function findDueWebhooks(db: Database, worker: string, limit: number): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select l.webhook_id as id
    from webhooks.lanes l
    join webhooks.webhooks w on w.id = l.webhook_id
    where w.active
      and (l.held_until is null or l.held_until <= now())
      and (l.worker is null or l.worker = ${worker}::uuid)
      and (
        exists (
          select from webhooks.deliveries new
          where new.webhook_id = l.webhook_id and new.state = 'waiting' and new.attempts = 0
        )
        or exists (
          select from webhooks.deliveries again
          where again.webhook_id = l.webhook_id and again.state = 'waiting' and again.attempts > 0
            and again.next_attempt_at <= now()
        )
      )
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The channel on which the worker that has a webhook is told that there is more for it. */
export const laneChannel = 'webhook_lanes'

/** Tells whoever looks after these webhooks, if somebody does, that there is more. */
export async function notifyOwners(
  db: Database,
  worker: string,
  webhookIds: readonly string[],
): Promise<void> {
  await db`
    select pg_notify(${laneChannel}, webhook_id::text)
    from webhooks.lanes
    where webhook_id = any (${db.types.texts(webhookIds)}::text[]::uuid[]) and worker <> ${worker}::uuid`
}
