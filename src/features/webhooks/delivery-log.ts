import type { Database } from '../../platform/db/connection.js'
import { isoTime } from '../../platform/db/iso-time.js'
import { PlazaError } from '../../platform/errors.js'
import type { NetRequest } from '../../platform/outbound/net-client.js'
import type { Vault } from '../../platform/vault/vault.js'
import { signedRequest } from './delivery/request.js'
import type { WebhookDelivery } from './schema/webhook.js'
import type { WebhookEventKind } from './schema/webhook-filters.js'
import { decryptSigningSecrets } from './secrets.js'
import { isWaiting } from './waiting-deliveries.js'

/** A page of a webhook's deliveries, below `beforeSeq`. */
interface DeliveryPage {
  readonly webhookId: string
  readonly status: WebhookDelivery['status'] | undefined
  readonly kind: WebhookEventKind | undefined
  readonly limit: number
  readonly beforeSeq: number | undefined
}

/** A delivery as the API shows it, and its sort key. */
type ListedDelivery = WebhookDelivery & { readonly seq: number }

/** Deliveries that one request reads to find some that no index finds: a webhook may have millions. */
const MAX_READ_DELIVERIES = 20_000

/**
 * Lists deliveries of a webhook, newest first.
 *
 * @returns The deliveries, and the `beforeSeq` of the next page: null behind the last one. A page may have fewer deliveries than
 * its limit, also none, before the last page.
 */
export async function listDeliveries(
  db: Database,
  page: DeliveryPage,
): Promise<{ readonly deliveries: readonly ListedDelivery[]; readonly next: number | null }> {
  const { webhookId, status, kind, limit, beforeSeq } = page
  const oldestSeq = await readOldestSeq(db, page)
  const deliveries = await db<ListedDelivery[]>`
    select d.seq, ${deliveryColumns(db)}
    from webhooks.deliveries d
    join webhooks.events e on e.id = d.event_id
    where d.webhook_id = ${webhookId}
      and d.seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER}::bigint
      and d.seq >= ${oldestSeq ?? 0}::bigint
      and ${status === undefined ? db`true` : status === 'waiting' ? isWaiting(db) : db`d.state = ${status}`}
      and (${kind ?? null}::text is null or e.kind = ${kind ?? null})
    order by d.seq desc
    limit ${limit + 1}`
  if (deliveries.length <= limit) return { deliveries, next: oldestSeq }
  return { deliveries: deliveries.slice(0, limit), next: deliveries[limit - 1]!.seq }
}

/** Finds the last delivery that a request for this page reads; null if it may read all. */
async function readOldestSeq(
  db: Database,
  { webhookId, status, kind, beforeSeq }: DeliveryPage,
): Promise<number | null> {
  const isIndexed =
    status === undefined || status === 'waiting' || status === 'failed' || status === 'canceled'
  if (kind === undefined && isIndexed) return null
  const [row] = await db<{ seq: number }[]>`
    select seq
    from webhooks.deliveries
    where webhook_id = ${webhookId} and seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER}::bigint
    order by seq desc
    offset ${MAX_READ_DELIVERIES - 1}
    limit 1`
  return row?.seq ?? null
}

/** SQL for the members of `webhooks.deliveries d` and its event `e` that the API shows. */
function deliveryColumns(db: Database) {
  return db`
    'webhook_delivery' as object, d.id as delivery_id, d.webhook_id, d.event_id, e.kind as type,
    d.state as status, d.attempts + d.attempts_before as attempts, d.status as response_code, d.failure,
    d.latency_ms, ${isoTime(db, db`e.detected_at`)} as event_timestamp,
    ${isoTime(db, db`d.created_at`)} as created_at, ${isoTime(db, db`d.last_attempt_at`)} as last_attempt_at,
    case when d.state = 'waiting' then ${isoTime(db, db`d.next_attempt_at`)} end as next_attempt_at`
}

/** Reads a delivery; null if there is none of this id. */
export async function readDelivery(db: Database, deliveryId: string): Promise<WebhookDelivery | null> {
  const [delivery] = await db<WebhookDelivery[]>`
    select ${deliveryColumns(db)}
    from webhooks.deliveries d
    join webhooks.events e on e.id = d.event_id
    where d.id = ${deliveryId}`
  return delivery ?? null
}

/** The request of a delivery's last attempt and what the target answered. */
interface LastAttempt {
  readonly delivery: WebhookDelivery
  readonly request: Pick<NetRequest, 'url' | 'headers' | 'body'> | null
  readonly response: string | null
}

/**
 * Finds a delivery, and builds the request of its last attempt again: bodies are not stored twice.
 *
 * @throws PlazaError 404 for a delivery that this app does not have.
 */
export async function findDelivery(
  { db, vault }: { readonly db: Database; readonly vault: Vault },
  appId: string,
  deliveryId: string,
): Promise<LastAttempt> {
  const [row] = await db<
    {
      delivery: WebhookDelivery
      targetUrl: string
      attempts: number
      detectedAt: Date
      lastAttemptAt: Date | null
      data: string | null
      response: string | null
    }[]
  >`
    select
      (select to_jsonb(shown) from (select ${deliveryColumns(db)}) shown) as delivery, w.target_url as "targetUrl",
      d.attempts, e.detected_at as "detectedAt", d.last_attempt_at as "lastAttemptAt", e.data, d.response
    from webhooks.deliveries d
    join webhooks.events e on e.id = d.event_id
    join webhooks.webhooks w on w.id = d.webhook_id
    where d.id = ${deliveryId} and w.app_id = ${appId} and w.deleted_at is null`
  if (!row) throw unknownDelivery()
  const { delivery, targetUrl, data, detectedAt, lastAttemptAt, response } = row
  if (data === null || lastAttemptAt === null) return { delivery, request: null, response }
  const { delivery_id: id, webhook_id: webhookId, event_id: eventId, type: kind } = delivery
  const secrets = (await decryptSigningSecrets(db, vault, [webhookId])).get(webhookId) ?? []
  const attempts = Math.max(0, row.attempts - 1)
  const request = signedRequest(
    { id, targetUrl, eventId, kind, detectedAt, data, secrets, attempts },
    lastAttemptAt.getTime(),
  )
  return { delivery, request, response }
}

/** Returns the error for a delivery that this app does not have. */
export function unknownDelivery(): PlazaError {
  return new PlazaError('not_found', 'there is no delivery with this delivery_id', {
    property: 'delivery_id',
  })
}
