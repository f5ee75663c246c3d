import { notifyLanes } from '../../outbox/outbox-queue.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { unknownDelivery } from './delivery-log.js'
import { deliveryChannel } from './waiting-deliveries.js'
import { requireActive } from './webhooks.js'

/** Queued again by one statement: tens of milliseconds. */
const REDELIVERY_BATCH = 5_000

/**
 * Queues one finished delivery again under the same ids.
 *
 * @throws PlazaError 404 for an unknown delivery, 409 when its webhook is inactive or it has not ended.
 */
export async function redeliverOne(db: Database, appId: string, deliveryId: string): Promise<void> {
  await db.begin(async (transaction) => {
    const [delivery] = await transaction<{ webhookId: string; active: boolean; state: string }[]>`
      select d.webhook_id as "webhookId", w.active, d.state
      from webhooks.deliveries d
      join webhooks.webhooks w on w.id = d.webhook_id
      where d.id = ${deliveryId} and w.app_id = ${appId} and w.deleted_at is null
      for update of d`
    const property = 'delivery_id'
    if (!delivery) throw unknownDelivery()
    requireActive(delivery)
    if (delivery.state === 'waiting' || delivery.state === 'sending') {
      throw new PlazaError('conflict', 'the delivery has not ended', { property })
    }
    await requeueDeliveries(transaction, transaction`id = ${deliveryId}`)
    await notifyLanes(transaction, deliveryChannel, [delivery.webhookId])
  })
}

/**
 * Queues every delivery again that failed or was canceled since a time, a batch at a time: there may be millions. Stops when
 * the webhook becomes inactive meanwhile.
 *
 * @returns The number of deliveries.
 * @throws PlazaError 409 when the webhook is inactive.
 */
export async function redeliverSince(
  db: Database,
  webhook: { readonly id: string; readonly active: boolean },
  since: Date,
): Promise<number> {
  requireActive(webhook)
  let count = 0
  for (let lastSeq: number | null = 0; lastSeq !== null; ) {
    const batch = await redeliverBatch(db, webhook.id, since, lastSeq)
    count += batch.count
    lastSeq = batch.lastSeq
  }
  return count
}

/** Queues the next deliveries again, in the order of their events. Returns the last one; null if nothing is left. */
async function redeliverBatch(
  db: Database,
  webhookId: string,
  since: Date,
  afterSeq: number,
): Promise<{ readonly count: number; readonly lastSeq: number | null }> {
  return db.begin(async (transaction) => {
    const found = await transaction<{ id: string; seq: number }[]>`
      select d.id, d.seq
      from webhooks.deliveries d
      join webhooks.webhooks w on w.id = d.webhook_id
      where d.webhook_id = ${webhookId} and d.seq > ${afterSeq}::bigint and d.state in ('failed', 'canceled')
        and d.created_at >= ${since.toISOString()} and w.active
      order by d.seq
      limit ${REDELIVERY_BATCH}`
    const ids = transaction.types.texts(found.map(({ id }) => id))
    const count = await requeueDeliveries(
      transaction,
      transaction`id = any (${ids}::text[]::uuid[]) and state in ('failed', 'canceled')`,
    )
    if (count > 0) await notifyLanes(transaction, deliveryChannel, [webhookId])
    return { count, lastSeq: found.length < REDELIVERY_BATCH ? null : found.at(-1)!.seq }
  })
}

async function requeueDeliveries(db: Transaction, condition: ReturnType<Transaction>): Promise<number> {
  const result = await db`
    update webhooks.deliveries
    set
      state = 'waiting', attempts_before = attempts_before + attempts, attempts = 0, first_attempt_at = null,
      next_attempt_at = now(), finished_at = null
    where ${condition}`
  return result.count
}
