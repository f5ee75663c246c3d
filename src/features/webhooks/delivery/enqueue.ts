import { randomUUID } from 'node:crypto'
import { notifyLanes } from '../../../outbox/notify-lanes.js'
import type { Queryable, Transaction } from '../../../platform/db/connection.js'
import type { MatchedEvent } from '../events/matched-events.js'
import { encodeSubject } from '../events/stored-subject.js'
import type { WebhookEvent } from '../events/webhook-event.js'
import { deliveryChannel } from './workers.js'

/**
 * Enqueues deliveries in the order of the events, and wakes the workers. A delivery that is enqueued already stays as
 * it is.
 *
 * @param detectedAtMs Unix milliseconds.
 */
export async function enqueueDeliveries(
  db: Transaction,
  matchedEvents: readonly MatchedEvent[],
  detectedAtMs: number,
): Promise<void> {
  if (matchedEvents.length === 0) return
  await insertEvents(
    db,
    matchedEvents.map(({ event }) => event),
    detectedAtMs,
  )
  await insertDeliveries(db, matchedEvents)
  const webhookIds = new Set(matchedEvents.flatMap((matched) => matched.webhookIds))
  await notifyLanes(db, deliveryChannel, [...webhookIds])
}

async function insertEvents(
  db: Queryable,
  events: readonly WebhookEvent[],
  detectedAtMs: number,
): Promise<void> {
  const detectedAt = new Date(detectedAtMs).toISOString()
  await db`
    insert into webhooks.events (id, kind, happened_at, detected_at, subject)
    select id, kind, coalesce(to_timestamp(happened_at), ${detectedAt}), ${detectedAt}, subject::jsonb
    from unnest(
      ${db.types.texts(events.map(({ id }) => id))}::text[],
      ${db.types.texts(events.map(({ kind }) => kind))}::text[],
      ${events.map(({ happenedAt }) => happenedAt)}::bigint[],
      ${db.types.texts(events.map(({ subject }) => JSON.stringify(encodeSubject(subject))))}::text[]
    ) as event (id, kind, happened_at, subject)
    on conflict do nothing`
}

async function insertDeliveries(db: Queryable, matchedEvents: readonly MatchedEvent[]): Promise<void> {
  const rows = matchedEvents.flatMap(({ event, webhookIds }) =>
    webhookIds.map((webhookId) => ({ webhookId, eventId: event.id })),
  )
  // `seq` is handed out in the order of the ordinality.
  await db`
    insert into webhooks.deliveries (id, webhook_id, event_id)
    select id::uuid, webhook_id::uuid, event_id
    from unnest(
      ${db.types.texts(rows.map(() => randomUUID()))}::text[],
      ${db.types.texts(rows.map(({ webhookId }) => webhookId))}::text[],
      ${db.types.texts(rows.map(({ eventId }) => eventId))}::text[]
    ) with ordinality as delivery (id, webhook_id, event_id, position)
    order by position
    on conflict do nothing`
}
