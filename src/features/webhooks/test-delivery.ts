import { randomUUID } from 'node:crypto'
import type { WebhookEventKind } from '../../graph/view/schema/webhook-filters.js'
import type { Database } from '../../platform/db/connection.js'
import { webhookDisabledError } from './deliveries.js'
import { addDeliveryJob } from './delivery/jobs.js'
import { sampleData } from './samples.js'

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
    await addDeliveryJob(transaction, [webhook.id])
  })
  return { deliveryId, eventId }
}
