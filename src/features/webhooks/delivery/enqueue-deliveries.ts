import { createHash } from 'node:crypto'
import { notifyLanes } from '../../../outbox/outbox-queue.js'
import type { Transaction } from '../../../platform/db/connection.js'
import { inPipeline, type Statement } from '../../../platform/db/pipeline.js'
import { nextTurn } from '../../../platform/process/turns.js'
import type { MatchedEvent } from '../events/matched-events.js'
import { encodeSubject } from '../events/webhook-event.js'
import { deliveryChannel } from '../waiting-deliveries.js'

/** Deliveries of one statement. A batch has one for each pair of an event and a webhook that it matches. */
const MAX_DELIVERIES_INSERTED = 5_000

/**
 * Enqueues deliveries in the order of the events, a slice at a time, and returns the last statements: those of the last
 * slice, and what wakes the workers. A delivery that is enqueued already stays as it is.
 *
 * @param detectedAtMs Unix milliseconds.
 */
export async function enqueueDeliveries(
  db: Transaction,
  matchedEvents: readonly MatchedEvent[],
  detectedAtMs: number,
): Promise<Statement[]> {
  if (matchedEvents.length === 0) return []
  let last: Statement[] = []
  for (const slice of slicesOf(matchedEvents)) {
    if (last.length > 0) {
      await inPipeline(last)
      await nextTurn()
    }
    last = insertsOf(db, slice, new Date(detectedAtMs).toISOString())
  }
  const lanes = new Set<string>()
  for (const { webhookIds } of matchedEvents) for (const webhookId of webhookIds) lanes.add(webhookId)
  return [...last, notifyLanes(db, deliveryChannel, [...lanes])]
}

/** Yields events with few enough webhooks for a statement. An event with more is divided. */
function* slicesOf(matchedEvents: readonly MatchedEvent[]): Generator<readonly MatchedEvent[]> {
  let slice: MatchedEvent[] = []
  let room = MAX_DELIVERIES_INSERTED
  for (const { event, webhookIds } of matchedEvents) {
    for (let start = 0; start < webhookIds.length; ) {
      const part = webhookIds.slice(start, start + room)
      slice.push({ event, webhookIds: part })
      start += part.length
      room -= part.length
      if (room > 0) continue
      yield slice
      slice = []
      room = MAX_DELIVERIES_INSERTED
    }
  }
  if (slice.length > 0) yield slice
}

/**
 * A UUIDv8 (RFC 9562) of the webhook and the event: a fail-over may lose a delivery that was sent and keep its event, which is
 * then enqueued again, and its receiver knows it by this id.
 */
function deliveryIdOf({
  webhookId,
  eventId,
}: {
  readonly webhookId: string
  readonly eventId: string
}): string {
  const bytes = createHash('sha256').update(`${webhookId}/${eventId}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function insertsOf(db: Transaction, matchedEvents: readonly MatchedEvent[], detectedAt: string): Statement[] {
  const events = matchedEvents.map(({ event }) => event)
  const insertEvents = db`
    insert into webhooks.events (id, kind, happened_at, detected_at, subject, traceparent)
    select id, kind, coalesce(to_timestamp(happened_at), ${detectedAt}), ${detectedAt}, subject::jsonb, traceparent
    from unnest(
      ${db.types.texts(events.map(({ id }) => id))}::text[],
      ${db.types.texts(events.map(({ kind }) => kind))}::text[],
      ${events.map(({ happenedAt }) => happenedAt)}::bigint[],
      ${db.types.texts(events.map(({ subject }) => JSON.stringify(encodeSubject(subject))))}::text[],
      ${db.types.texts(events.map(({ traceparent }) => traceparent ?? null))}::text[]
    ) as event (id, kind, happened_at, subject, traceparent)
    on conflict do nothing`
  const rows = matchedEvents.flatMap(({ event, webhookIds }) =>
    webhookIds.map((webhookId) => ({ webhookId, eventId: event.id })),
  )
  // `seq` is handed out in the order of the ordinality.
  const insertDeliveries = db`
    insert into webhooks.deliveries (id, webhook_id, event_id)
    select id::uuid, webhook_id::uuid, event_id
    from unnest(
      ${db.types.texts(rows.map(deliveryIdOf))}::text[],
      ${db.types.texts(rows.map(({ webhookId }) => webhookId))}::text[],
      ${db.types.texts(rows.map(({ eventId }) => eventId))}::text[]
    ) with ordinality as delivery (id, webhook_id, event_id, position)
    order by position
    on conflict do nothing`
  return [insertEvents, insertDeliveries]
}
