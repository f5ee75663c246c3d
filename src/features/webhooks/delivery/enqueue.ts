import { randomUUID } from 'node:crypto'
import type { Queryable, Transaction } from '../../../platform/db/connection.js'
import type { Occurrence } from '../events/occurrence.js'
import { packSubject } from '../events/stored-subject.js'
import { addDeliverJob } from './jobs.js'

/** An event and whom it is for. */
export interface Matched {
  readonly occurrence: Occurrence
  readonly webhookIds: readonly string[]
}

/**
 * Puts deliveries in line, in the order of the events, and has their webhooks looked after. What is in line already
 * stays as it is.
 *
 * @param noticedAtMs Unix milliseconds.
 */
export async function enqueueDeliveries(
  db: Transaction,
  matched: readonly Matched[],
  noticedAtMs: number,
): Promise<void> {
  if (matched.length === 0) return
  await insertEvents(
    db,
    matched.map(({ occurrence }) => occurrence),
    noticedAtMs,
  )
  await insertDeliveries(db, matched)
  await addDeliverJob(db, [...new Set(matched.flatMap(({ webhookIds }) => webhookIds))])
}

async function insertEvents(
  db: Queryable,
  occurrences: readonly Occurrence[],
  noticedAtMs: number,
): Promise<void> {
  const noticedAt = new Date(noticedAtMs).toISOString()
  await db`
    insert into webhooks.events (id, kind, happened_at, noticed_at, subject)
    select id, kind, coalesce(to_timestamp(happened_at), ${noticedAt}), ${noticedAt}, subject::jsonb
    from unnest(
      ${db.types.texts(occurrences.map(({ id }) => id))}::text[],
      ${db.types.texts(occurrences.map(({ kind }) => kind))}::text[],
      ${occurrences.map(({ happenedAt }) => happenedAt)}::bigint[],
      ${db.types.texts(occurrences.map(({ subject }) => JSON.stringify(packSubject(subject))))}::text[]
    ) as told (id, kind, happened_at, subject)
    on conflict do nothing`
}

async function insertDeliveries(db: Queryable, matched: readonly Matched[]): Promise<void> {
  const rows = matched.flatMap(({ occurrence, webhookIds }) =>
    webhookIds.map((webhookId) => ({ webhookId, eventId: occurrence.id })),
  )
  // `seq` is handed out in the order of the ordinality.
  await db`
    insert into webhooks.deliveries (id, webhook_id, event_id)
    select id::uuid, webhook_id::uuid, event_id
    from unnest(
      ${db.types.texts(rows.map(() => randomUUID()))}::text[],
      ${db.types.texts(rows.map(({ webhookId }) => webhookId))}::text[],
      ${db.types.texts(rows.map(({ eventId }) => eventId))}::text[]
    ) with ordinality as told (id, webhook_id, event_id, place)
    order by place
    on conflict do nothing`
}
