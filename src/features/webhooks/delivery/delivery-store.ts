import type { LaneClaim, LaneRequest } from '../../../outbox/outbox-queue.js'
import { WorkerRegistry } from '../../../outbox/worker-registry.js'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import type { StoredSubject } from '../events/webhook-event.js'
import type { WebhookEventKind } from '../schema/webhook-filters.js'
import type { SigningSecret } from '../secrets.js'
import { deleteWebhooksOfListeners } from '../webhooks.js'

/**
 * The SQL of the delivery queue, without what enqueues (`enqueue-deliveries.ts`): the table `webhooks.deliveries` has a row for each delivery, `webhooks.lanes` the worker
 * and the limits of each webhook. Times are the database's, because the clocks of workers differ.
 */

/** A delivery that a worker has claimed. */
export interface ClaimedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly targetUrl: string
  readonly httpTimeoutMs: number
  /** Attempts since it was last enqueued. */
  readonly attempts: number
  /** By the clock of the database; 0 for a first attempt. */
  readonly sinceFirstAttemptMs: number
  readonly eventId: string
  readonly kind: WebhookEventKind
  readonly happenedAt: Date
  readonly detectedAt: Date
  readonly subject: StoredSubject
  /** JSON; null until a worker has rendered it. */
  readonly data: string | null
  /** Trace context of the span that caused the event; null where nothing was traced. */
  readonly traceparent: string | null
}

/** A delivery that can be sent. */
export interface PreparedDelivery extends ClaimedDelivery {
  readonly data: string
  /** The newest first. */
  readonly secrets: readonly SigningSecret[]
  /** False if the webhook has secrets, and no key of this server decrypts one. */
  readonly isSignable: boolean
}

type ClaimRow = { webhookId: string; allowance: number; rateLimit: number; rateLimitMs: number } & (
  | { id: null }
  | Omit<ClaimedDelivery, 'webhookId'>
)

/**
 * Claims due deliveries of some webhooks, in one statement. One worker at a time has deliveries of a webhook. First
 * attempts go in the order of the events; half of the capacity is for retries. Where it is one delivery, as at a rate limit, each
 * kind gets it with the same chance: a lane that is out of tokens claims them one by one.
 *
 * @returns nothing for a webhook that is off, held back, or another worker's, and nothing for a worker that counts as dead.
 */
export async function claimDue(
  db: Database,
  worker: string,
  requests: readonly LaneRequest[],
): Promise<LaneClaim<ClaimedDelivery>[]> {
  // What is claimed below a spelling of an id that is not the database's would be lost.
  const rooms = new Map(requests.map(({ lane, capacity }) => [lane.toLowerCase(), capacity]))
  const rows = await db<ClaimRow[]>`
    with live_worker as materialized (${deliveryWorkers.lockedRow(db, worker)}),
    lane as materialized (
      select
        l.webhook_id, w.target_url, w.http_timeout_ms, w.rate_limit, w.rate_limit_ms, requested.room,
        least(
          w.rate_limit,
          -- Either direction counts as time: a clock that was set back must neither make this negative nor stop the bucket.
          l.allowance + abs(extract(epoch from now() - l.counted_at)) * 1000 * w.rate_limit / w.rate_limit_ms
        ) as allowance,
        random() < 0.5 as is_turn_of_new
      from unnest(
        ${db.types.texts([...rooms.keys()])}::text[]::uuid[],
        ${[...rooms.values()]}::integer[]
      ) as requested (webhook_id, room)
      cross join live_worker
      join webhooks.lanes l on l.webhook_id = requested.webhook_id
      join webhooks.webhooks w on w.id = requested.webhook_id
      where w.active
        and (w.listener is null or w.listener = ${worker}::uuid)
        and (l.held_until is null or l.held_until <= now())
        and (
          l.worker is null or l.worker = ${worker}::uuid
          or not exists (select from webhooks.workers other where other.id = l.worker and other.alive_until > now())
        )
      order by l.webhook_id
      for update of l
    ),
    due as (
      select found.id, lane.webhook_id
      from lane
      cross join lateral (
        select
          id, seq,
          case when least(lane.room, floor(lane.allowance)) = 1 and lane.is_turn_of_new then 2 else 0 end as turn
        from (
          select id, seq
          from webhooks.deliveries again
          where again.webhook_id = lane.webhook_id and again.state = 'waiting' and again.attempts > 0
            and again.next_attempt_at <= now()
          order by again.next_attempt_at, again.seq
          limit ceil(least(lane.room, floor(lane.allowance)) / 2)
        ) again
        union all
        select id, seq, 1
        from (
          select id, seq
          from webhooks.deliveries new
          where new.webhook_id = lane.webhook_id and new.state = 'waiting' and new.attempts = 0
          order by new.seq
          limit least(lane.room, floor(lane.allowance))
        ) new
        order by turn, seq
        limit least(lane.room, floor(lane.allowance))
      ) found
    ),
    claimed as (
      update webhooks.deliveries d
      set state = 'sending', worker = ${worker}::uuid,
        -- A worker that ended may have claimed it without an attempt.
        first_attempt_at = case when d.attempts = 0 then now() else coalesce(d.first_attempt_at, now()) end
      from due
      where d.id = due.id and d.state = 'waiting'
      returning d.id, d.seq, d.webhook_id, d.event_id, d.attempts, d.first_attempt_at
    ),
    counted as (
      update webhooks.lanes l
      set worker = ${worker}::uuid, allowance = lane.allowance - taken.count, counted_at = now()
      from lane
      join (select webhook_id, count(*) as count from claimed group by webhook_id) taken using (webhook_id)
      where l.webhook_id = lane.webhook_id
    )
    select
      lane.webhook_id as "webhookId", lane.allowance, lane.rate_limit as "rateLimit",
      lane.rate_limit_ms as "rateLimitMs", c.id, lane.target_url as "targetUrl",
      lane.http_timeout_ms as "httpTimeoutMs", c.attempts,
      extract(epoch from now() - c.first_attempt_at)::double precision * 1000 as "sinceFirstAttemptMs",
      e.id as "eventId", e.kind, e.happened_at as "happenedAt", e.detected_at as "detectedAt", e.subject, e.data, e.traceparent
    from lane
    left join claimed c on c.webhook_id = lane.webhook_id
    left join webhooks.events e on e.id = c.event_id
    order by lane.webhook_id, c.attempts = 0, c.seq`
  return laneClaimsOf(rows, rooms)
}

/** Sums rows up by lane. They come in the order of the lanes. */
function laneClaimsOf(
  rows: readonly ClaimRow[],
  rooms: ReadonlyMap<string, number>,
): LaneClaim<ClaimedDelivery>[] {
  const rowsByLane = new Map<string, ClaimRow[]>()
  for (const row of rows) {
    const laneRows = rowsByLane.get(row.webhookId)
    if (laneRows === undefined) rowsByLane.set(row.webhookId, [row])
    else laneRows.push(row)
  }
  return [...rooms].flatMap(([lane, capacity]) => {
    const laneRows = rowsByLane.get(lane) ?? []
    const [first] = laneRows
    if (first === undefined) return []
    const items = laneRows.flatMap((row) => (row.id === null ? [] : [row as ClaimedDelivery]))
    const room = Math.min(capacity, Math.floor(first.allowance))
    const again = items.filter(({ attempts }) => attempts > 0)
    const hasMore = items.length >= capacity || (items.length > 0 && again.length >= Math.ceil(room / 2))
    const missing = 1 - (first.allowance - items.length)
    const pausedForMs = missing <= 0 ? null : Math.ceil((missing * first.rateLimitMs) / first.rateLimit)
    return [{ lane, items, hasMore, pausedForMs }]
  })
}

/**
 * Stores the rendered data of events, for later attempts and other webhooks, and returns what is stored: the first rendering
 * counts, as the body of a delivery stays the same. Two workers may render one event at the same time.
 */
export async function storeData(
  db: Database,
  data: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const ids = db.types.texts([...data.keys()])
  // In one order: another worker may store the same events.
  const stored = await db<{ id: string; data: string }[]>`
    with missing as materialized (
      select id from webhooks.events
      where id = any (${ids}::text[]) and data is null
      order by id
      for no key update
    )
    update webhooks.events e
    set data = made.data
    from missing
    join unnest(${ids}::text[], ${db.types.texts([...data.values()])}::text[]) as made (id, data) using (id)
    where e.id = missing.id
    returning e.id, e.data`
  const known = new Map(stored.map((row) => [row.id, row.data]))
  const others = [...data.keys()].filter((id) => !known.has(id))
  if (others.length === 0) return known
  const earlier = await db<{ id: string; data: string }[]>`
    select id, data from webhooks.events where id = any (${db.types.texts(others)}::text[])`
  return new Map([...known, ...earlier.map((row) => [row.id, row.data] as const)])
}

/**
 * The workers that send. Deliveries of a dead worker are sent again: nobody knows whether they arrived. Webhooks that only
 * this worker served are deleted.
 */
export const deliveryWorkers = new WorkerRegistry('webhooks.workers', releaseOfWorkers)

async function releaseOfWorkers(db: Queryable, workers: readonly string[]): Promise<void> {
  const ids = db.types.texts(workers)
  await db`
    update webhooks.deliveries
    set state = 'waiting', worker = null
    where state = 'sending' and worker = any (${ids}::text[]::uuid[])`
  // Before the lanes: changes of a webhook take their number first, too.
  await deleteWebhooksOfListeners(db, workers)
  await db`update webhooks.lanes set worker = null where worker = any (${ids}::text[]::uuid[])`
}

/** Gives back what a worker has claimed, apart from these deliveries: it does not know of the others. */
export async function releaseLostDeliveries(
  db: Database,
  worker: string,
  inHandIds: readonly string[],
): Promise<void> {
  await db`
    update webhooks.deliveries
    set state = 'waiting', worker = null
    where state = 'sending' and worker = ${worker}::uuid
      and id <> all (${db.types.texts(inHandIds)}::text[]::uuid[])`
}

/**
 * Gives back deliveries that a worker has claimed and not begun to send. Those of an inactive webhook are canceled, as those
 * that waited when it became inactive. They count no more against the rate limit.
 */
export async function releaseDeliveries(
  db: Database,
  worker: string,
  deliveries: readonly { readonly id: string }[],
): Promise<void> {
  await db`
    with released as (
      update webhooks.deliveries d
      set
        state = case when w.active then 'waiting' else 'canceled' end,
        worker = null,
        failure = case when w.active then d.failure else coalesce(w.disabled_reason, 'the webhook is inactive') end,
        finished_at = case when w.active then null else now() end
      from webhooks.webhooks w
      where w.id = d.webhook_id and d.state = 'sending' and d.worker = ${worker}::uuid
        and d.id = any (${db.types.texts(deliveries.map(({ id }) => id))}::text[]::uuid[])
      returning d.webhook_id
    )
    -- The claim has counted them.
    update webhooks.lanes l
    set allowance = l.allowance + given_back.count
    from (select webhook_id, count(*) as count from released group by webhook_id) given_back
    where l.webhook_id = given_back.webhook_id`
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
      and (w.listener is null or w.listener = ${worker}::uuid)
      and (l.held_until is null or l.held_until <= now())
      and (l.worker is null or l.worker = ${worker}::uuid)
    order by l.webhook_id
    limit ${limit}`
  return rows.map(({ id }) => id)
}
