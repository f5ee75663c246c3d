import { WorkerRegistry } from '../../../outbox/worker-registry.js'
import type { Database, Queryable } from '../../../platform/db/connection.js'

/** The NOTIFY channel of the delivery queue. A lane is a webhook, and its key the webhook's id. */
export const deliveryChannel = 'webhook_lanes'

/** The workers that send. Deliveries of a dead worker are sent again: nobody knows whether they arrived. */
export const deliveryWorkers = new WorkerRegistry('webhooks.workers', releaseDeliveries)

async function releaseDeliveries(db: Queryable, workers: readonly string[]): Promise<void> {
  const ids = db.types.texts(workers)
  await db`
    update webhooks.deliveries
    set state = 'waiting', worker = null
    where state = 'sending' and worker = any (${ids}::text[]::uuid[])`
  await db`update webhooks.lanes set worker = null where worker = any (${ids}::text[]::uuid[])`
}

/** Below every id of a webhook. */
const LOWEST_UUID = '00000000-0000-0000-0000-000000000000'

/**
 * Finds webhooks with due deliveries that no other worker has. Steps through the two indexes of waiting deliveries from
 * webhook to webhook, so that the cost grows with the webhooks that wait and not with all of them.
 *
 * @param after A webhook's id, or the empty string for the beginning.
 */
export async function findDueWebhooks(
  db: Database,
  worker: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const from = after === '' ? LOWEST_UUID : after
  const rows = await db<{ id: string }[]>`
    with recursive first_attempts as (
      (
        select webhook_id from webhooks.deliveries
        where state = 'waiting' and attempts = 0 and webhook_id > ${from}::uuid
        order by webhook_id limit 1
      )
      union all
      select (
        select d.webhook_id from webhooks.deliveries d
        where d.state = 'waiting' and d.attempts = 0 and d.webhook_id > f.webhook_id
        order by d.webhook_id limit 1
      )
      from first_attempts f
      where f.webhook_id is not null
    ),
    retries as (
      (
        select webhook_id, next_attempt_at from webhooks.deliveries
        where state = 'waiting' and attempts > 0 and webhook_id > ${from}::uuid
        order by webhook_id, next_attempt_at limit 1
      )
      union all
      select d.webhook_id, d.next_attempt_at
      from retries r
      cross join lateral (
        select webhook_id, next_attempt_at from webhooks.deliveries d
        where d.state = 'waiting' and d.attempts > 0 and d.webhook_id > r.webhook_id
        order by d.webhook_id, d.next_attempt_at limit 1
      ) d
    )
    select l.webhook_id as id
    from (
      select webhook_id from first_attempts
      union
      select webhook_id from retries where next_attempt_at <= now()
    ) due
    join webhooks.lanes l on l.webhook_id = due.webhook_id
    join webhooks.webhooks w on w.id = due.webhook_id
    where w.active
      and (l.held_until is null or l.held_until <= now())
      and (l.worker is null or l.worker = ${worker}::uuid)
    order by l.webhook_id
    limit ${limit}`
  return rows.map(({ id }) => id)
}
