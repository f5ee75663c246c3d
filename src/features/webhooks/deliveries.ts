import { randomUUID } from 'node:crypto'
import type { WebhookDelivery } from '../../graph/view/schema/webhook-delivery.js'
import type { WebhookEventKind } from '../../graph/view/schema/webhook-filters.js'
import { notifyLanes } from '../../outbox/notify-lanes.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { deliveryChannel } from './delivery/workers.js'
import { sampleData } from './samples.js'

/** A delivery and its sort key. */
export interface ListedDelivery {
  readonly seq: number
  readonly view: WebhookDelivery
}

/** A page of a webhook's deliveries. */
export interface DeliveryPage {
  readonly webhookId: string
  readonly status: WebhookDelivery['status'] | undefined
  readonly kind: WebhookEventKind | undefined
  readonly limit: number
  /** Continue below this one. */
  readonly beforeSeq: number | null
}

interface DeliveryRow {
  readonly seq: number
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly kind: WebhookEventKind
  readonly state: WebhookDelivery['status']
  readonly attempts: number
  readonly status: number | null
  readonly failure: string | null
  readonly latencyMs: number | null
  readonly detectedAt: Date
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  readonly nextAttemptAt: Date
}

/** Lists deliveries of a webhook, newest first. */
export async function listDeliveries(
  db: Database,
  { webhookId, status, kind, limit, beforeSeq }: DeliveryPage,
): Promise<ListedDelivery[]> {
  const rows = await db<DeliveryRow[]>`
    select
      d.seq, d.id, d.webhook_id as "webhookId", d.event_id as "eventId", e.kind, d.state,
      d.attempts + d.attempts_before as attempts, d.status, d.failure, d.latency_ms as "latencyMs",
      e.detected_at as "detectedAt", d.created_at as "createdAt", d.last_attempt_at as "lastAttemptAt",
      d.next_attempt_at as "nextAttemptAt"
    from webhooks.deliveries d
    join webhooks.events e on e.id = d.event_id
    where d.webhook_id = ${webhookId}
      and d.seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER}::bigint
      and (${status ?? null}::text is null or d.state = ${status ?? null})
      and (${kind ?? null}::text is null or e.kind = ${kind ?? null})
    order by d.seq desc
    limit ${limit}`
  return rows.map((row) => ({ seq: row.seq, view: presentDelivery(row) }))
}

function presentDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    object: 'webhook_delivery',
    delivery_id: row.id,
    webhook_id: row.webhookId,
    event_id: row.eventId,
    type: row.kind,
    status: row.state,
    attempts: row.attempts,
    response_code: row.status,
    failure: row.failure,
    latency_ms: row.latencyMs,
    event_timestamp: row.detectedAt.toISOString(),
    created_at: row.createdAt.toISOString(),
    last_attempt_at: row.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: row.state === 'waiting' ? row.nextAttemptAt.toISOString() : null,
  }
}

/**
 * Queues one finished delivery again under the same ids.
 *
 * @throws PlazaError 404 for an unknown delivery, 409 when its webhook is disabled or it has not ended.
 */
export async function redeliverOne(db: Database, appId: string, deliveryId: string): Promise<void> {
  await db.begin(async (transaction) => {
    const [delivery] = await transaction<{ webhookId: string; active: boolean; state: string }[]>`
      select d.webhook_id as "webhookId", w.active, d.state
      from webhooks.deliveries d
      join webhooks.webhooks w on w.id = d.webhook_id
      where d.id = ${deliveryId} and w.app_id = ${appId} and w.deleted_at is null
      for update of d`
    if (!delivery) {
      throw new PlazaError('not_found', 'there is no delivery with this delivery_id', {
        property: 'delivery_id',
      })
    }
    if (!delivery.active) throw webhookDisabledError()
    if (delivery.state === 'waiting' || delivery.state === 'sending') {
      throw new PlazaError('conflict', 'the delivery has not ended', { property: 'delivery_id' })
    }
    await requeueDeliveries(transaction, transaction`id = ${deliveryId}`)
    await notifyLanes(transaction, deliveryChannel, [delivery.webhookId])
  })
}

/**
 * Queues every delivery again that failed or was canceled since a time.
 *
 * @returns The number of deliveries.
 * @throws PlazaError 409 when the webhook is disabled.
 */
export async function redeliverSince(
  db: Database,
  webhook: { readonly id: string; readonly active: boolean },
  since: Date,
): Promise<number> {
  if (!webhook.active) throw webhookDisabledError()
  return db.begin(async (transaction) => {
    const count = await requeueDeliveries(
      transaction,
      transaction`
        webhook_id = ${webhook.id} and state in ('failed', 'canceled') and created_at >= ${since.toISOString()}`,
    )
    if (count > 0) await notifyLanes(transaction, deliveryChannel, [webhook.id])
    return count
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

/** Builds the error for a disabled webhook. */
function webhookDisabledError(): PlazaError {
  return new PlazaError('conflict', 'the webhook is disabled: enable it first', {
    property: 'webhook_id',
  })
}

/**
 * Queues a sample delivery of a kind for a webhook, whatever it subscribes to. It is signed, rate-limited and
 * retried like any other.
 *
 * @throws PlazaError 409 when the webhook is disabled.
 */
export async function enqueueTestDelivery(
  db: Database,
  webhook: { readonly id: string; readonly active: boolean },
  kind: WebhookEventKind,
  nowMs: number,
): Promise<{ readonly deliveryId: string; readonly eventId: string }> {
  if (!webhook.active) throw webhookDisabledError()
  const [deliveryId, eventId] = [randomUUID(), `test-${randomUUID()}`]
  const now = new Date(nowMs).toISOString()
  await db.begin(async (transaction) => {
    await transaction`
      insert into webhooks.events (id, kind, happened_at, detected_at, subject, data)
      values (
        ${eventId}, ${kind}, ${now}, ${now}, ${JSON.stringify({ type: 'user', fid: 0 })}::text::jsonb,
        ${JSON.stringify(sampleData(kind, now))}
      )`
    await transaction`
      insert into webhooks.deliveries (id, webhook_id, event_id)
      values (${deliveryId}, ${webhook.id}, ${eventId})`
    await notifyLanes(transaction, deliveryChannel, [webhook.id])
  })
  return { deliveryId, eventId }
}
