import { randomUUID } from 'node:crypto'
import { exampleOf } from '../../api/openapi-example.js'
import { Cast, CastDehydrated } from '../../graph/view/schema/cast.js'
import { User } from '../../graph/view/schema/user.js'
import { UserDehydrated } from '../../graph/view/schema/user-dehydrated.js'
import { notifyLanes } from '../../outbox/outbox-queue.js'
import { runInBatches } from '../../outbox/run-in-batches.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { isoTime } from '../../platform/db/iso-time.js'
import { PlazaError } from '../../platform/errors.js'
import type { NetRequest } from '../../platform/outbound/net-client.js'
import type { Vault } from '../../platform/vault/vault.js'
import { signedRequest } from './delivery/request.js'
import type { WebhookDelivery } from './schema/webhook.js'
import type { WebhookEventKind } from './schema/webhook-filters.js'
import { decryptSigningSecrets } from './secrets.js'
import { deliveryChannel, isWaiting } from './waiting-deliveries.js'

/** Changed or deleted by one statement: tens of milliseconds. */
const BATCH = 5_000

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
const MAX_READ = 20_000

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
    offset ${MAX_READ - 1}
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

function unknownDelivery(): PlazaError {
  return new PlazaError('not_found', 'there is no delivery with this delivery_id', {
    property: 'delivery_id',
  })
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
 * the webhook is disabled meanwhile.
 *
 * @returns The number of deliveries.
 * @throws PlazaError 409 when the webhook is disabled.
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
      limit ${BATCH}`
    const ids = transaction.types.texts(found.map(({ id }) => id))
    const count = await requeueDeliveries(
      transaction,
      transaction`id = any (${ids}::text[]::uuid[]) and state in ('failed', 'canceled')`,
    )
    if (count > 0) await notifyLanes(transaction, deliveryChannel, [webhookId])
    return { count, lastSeq: found.length < BATCH ? null : found.at(-1)!.seq }
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

function requireActive({ active }: { readonly active: boolean }): void {
  if (active) return
  throw new PlazaError('conflict', 'the webhook is disabled: enable it first', { property: 'webhook_id' })
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
  requireActive(webhook)
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

/** Deletes deliveries that ended longer ago than this, then events without deliveries. */
export async function deleteExpiredDeliveries(db: Database, retentionDays: number): Promise<void> {
  const age = `${retentionDays} days`
  await runInBatches(
    BATCH,
    () => db`
      delete from webhooks.deliveries
      where id in (
        select id from webhooks.deliveries
        where finished_at < now() - ${age}::text::interval
        order by finished_at
        limit ${BATCH}
      )
      -- Again, for those that are queued again meanwhile.
      and finished_at < now() - ${age}::text::interval`,
  )
  await runInBatches(
    BATCH,
    () => db`
      delete from webhooks.events
      where id in (
        select e.id
        from webhooks.events e
        where e.created_at < now() - ${age}::text::interval
          and not exists (select from webhooks.deliveries d where d.event_id = e.id)
        order by e.created_at
        limit ${BATCH}
      )`,
  )
  await db`delete from webhooks.compacted_follows where created_at < now() - ${age}::text::interval`
}

const user = exampleOf(UserDehydrated) as UserDehydrated

const token = (symbol: string) => ({
  object: 'fungible_balance',
  token: {
    object: 'fungible',
    address: `0x${'22'.repeat(20)}`,
    decimals: 18,
    symbol,
    name: symbol,
  },
  balance: { in_usd: 100, in_token: '100' },
})

/** Returns the member `data` of a sample delivery of a kind, made from the examples of the API. */
export function sampleData(kind: WebhookEventKind, now: string): object {
  const times = { event_timestamp: now, timestamp: now }
  switch (kind) {
    case 'cast.created':
    case 'cast.deleted':
      return exampleOf(Cast) as Cast
    case 'follow.created':
    case 'follow.deleted':
      return {
        object: kind === 'follow.created' ? 'follow' : 'unfollow',
        ...times,
        user,
        target_user: { ...user, fid: user.fid + 1, username: 'bob', display_name: 'Bob' },
      }
    case 'reaction.created':
    case 'reaction.deleted':
      return { object: 'reaction', ...times, reaction_type: 1, user, cast: exampleOf(CastDehydrated) }
    case 'user.created':
    case 'user.updated':
      return exampleOf(User) as User
    case 'trade.created':
      return {
        object: 'trade',
        trader: user,
        pool: { object: 'pool', address: `0x${'33'.repeat(20)}` },
        transaction: {
          hash: `0x${'44'.repeat(32)}`,
          network: { object: 'network', name: 'base' },
          net_transfer: {
            object: 'net_transfer',
            receiving_fungible: token('AAA'),
            sending_fungible: token('USDC'),
          },
        },
      }
  }
}
