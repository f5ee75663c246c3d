import type { Database, Queryable } from '../../platform/db/connection.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'
import { isWaiting } from './waiting-deliveries.js'

/** Canceled by one statement: tens of milliseconds, far below the timeout of a request's statement. */
const BATCH = 5_000

/**
 * Cancels the queued deliveries of an inactive webhook, a batch at a time: a backlog may be of millions. It runs after the
 * webhook was deactivated or disabled, when nobody claims its deliveries any more, and not under the lock of the revisions.
 * Ends when the webhook is active again. Running attempts are recorded when they end.
 */
export async function cancelWaiting(db: Database, webhookId: string, reason: string): Promise<void> {
  await runInBatches(BATCH, () => cancelWaitingBatch(db, webhookId, reason))
}

/** Cancels as many queued deliveries as one statement can. */
export async function cancelWaitingBatch(
  db: Queryable,
  webhookId: string,
  reason: string,
): Promise<{ readonly count: number }> {
  return await db`
    update webhooks.deliveries
    set state = 'canceled', failure = ${reason}, finished_at = now()
    where state = 'waiting' and id in (
      select d.id
      from webhooks.deliveries d
      join webhooks.webhooks w on w.id = d.webhook_id
      where d.webhook_id = ${webhookId} and not w.active and ${isWaiting(db)}
      limit ${BATCH}
    )`
}

/**
 * Cancels queued deliveries of inactive webhooks. A consumer that read the subscriptions before, and workers that give back
 * what they have claimed, may queue some after the others were canceled; and a process may end between two batches.
 */
export async function cancelWaitingOfInactive(db: Database): Promise<void> {
  const webhooks = await db<{ id: string }[]>`
    select w.id
    from webhooks.webhooks w
    where not w.active
      and exists (select from webhooks.deliveries d where d.webhook_id = w.id and ${isWaiting(db)})`
  for (const { id } of webhooks) await cancelWaiting(db, id, 'the webhook is inactive')
}
