import type { WebhookEventKind } from '../../../graph/view/schema/webhook-filters.js'
import type { LaneClaim, LaneRequest } from '../../../outbox/outbox-queue.js'
import type { Database } from '../../../platform/db/connection.js'
import type { StoredSubject } from '../events/stored-subject.js'
import type { SigningSecret } from '../secrets.js'
import type { DeliveryOutcome } from './outcome.js'

/**
 * The SQL of the delivery queue: the table `webhooks.deliveries` has a row for each delivery, `webhooks.lanes` the worker
 * and the limits of each webhook. Times are the database's, because the clocks of workers differ.
 */

/** A delivery that a worker has claimed. */
export interface ClaimedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly targetUrl: string
  readonly httpTimeoutMs: number
  /** Since it was last enqueued. */
  readonly attempts: number
  readonly firstAttemptAt: Date
  readonly eventId: string
  readonly kind: WebhookEventKind
  readonly happenedAt: Date
  readonly detectedAt: Date
  readonly subject: StoredSubject
  /** JSON; null until a worker has rendered it. */
  readonly data: string | null
}

/** A delivery that can be sent. */
export interface PreparedDelivery extends ClaimedDelivery {
  readonly data: string
  /** The newest first. */
  readonly secrets: readonly SigningSecret[]
}

type ClaimRow = {
  webhookId: string
  allowance: number
  rateLimit: number
  rateLimitMs: number
} & ({ id: null } | Omit<ClaimedDelivery, 'webhookId'>)

/**
 * Claims due deliveries of some webhooks, in one statement. One worker at a time has deliveries of a webhook. First
 * attempts go in the order of the events; half of the capacity is for retries.
 *
 * @returns nothing for a webhook that is off, held back, or another worker's.
 */
export async function claimDue(
  db: Database,
  worker: string,
  requests: readonly LaneRequest[],
): Promise<LaneClaim<ClaimedDelivery>[]> {
  const rows = await db<ClaimRow[]>`
    with lane as materialized (
      select
        l.webhook_id, w.target_url, w.http_timeout_ms, w.rate_limit, w.rate_limit_ms, asked.room,
        least(
          w.rate_limit,
          l.allowance + extract(epoch from now() - l.counted_at) * 1000 * w.rate_limit / w.rate_limit_ms
        ) as allowance
      from unnest(
        ${db.types.texts(requests.map(({ lane }) => lane))}::text[]::uuid[],
        ${requests.map(({ capacity }) => capacity)}::integer[]
      ) as asked (webhook_id, room)
      join webhooks.lanes l on l.webhook_id = asked.webhook_id
      join webhooks.webhooks w on w.id = asked.webhook_id
      where w.active
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
        select id, seq, 0 as turn
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
      set state = 'sending', worker = ${worker}::uuid, first_attempt_at = coalesce(d.first_attempt_at, now())
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
      lane.http_timeout_ms as "httpTimeoutMs", c.attempts, c.first_attempt_at as "firstAttemptAt",
      e.id as "eventId", e.kind, e.happened_at as "happenedAt", e.detected_at as "detectedAt", e.subject, e.data
    from lane
    left join claimed c on c.webhook_id = lane.webhook_id
    left join webhooks.events e on e.id = c.event_id
    order by lane.webhook_id, c.attempts = 0, c.seq`
  return laneClaimsOf(rows, requests)
}

/** Sums rows up by lane. They come in the order of the lanes. */
function laneClaimsOf(
  rows: readonly ClaimRow[],
  requests: readonly LaneRequest[],
): LaneClaim<ClaimedDelivery>[] {
  const rowsByLane = new Map<string, ClaimRow[]>()
  for (const row of rows) {
    const laneRows = rowsByLane.get(row.webhookId)
    if (laneRows === undefined) rowsByLane.set(row.webhookId, [row])
    else laneRows.push(row)
  }
  return requests.flatMap(({ lane, capacity }) => {
    const laneRows = rowsByLane.get(lane) ?? []
    const [first] = laneRows
    if (first === undefined) return []
    const items = laneRows.flatMap((row) => (row.id === null ? [] : [row as ClaimedDelivery]))
    const remaining = first.allowance - items.length
    return [
      {
        lane,
        items,
        hasMore: items.length >= capacity,
        pausedForMs:
          remaining >= 1 ? null : Math.ceil(((1 - remaining) * first.rateLimitMs) / first.rateLimit),
      },
    ]
  })
}

/** The failures of a webhook, after a settlement. */
export interface LaneState {
  readonly webhookId: string
  readonly failingSince: Date | null
  /** Since the last success. */
  readonly failures: number
}

/**
 * Writes the outcomes of attempts into the database, in one statement. A delivery that another worker has claimed
 * meanwhile, because this one seemed dead, stays with the other.
 *
 * @param finishedWebhookIds Webhooks of which this worker has nothing any more: another worker may claim them.
 */
export async function settleOutcomes(
  db: Database,
  worker: string,
  outcomes: readonly DeliveryOutcome[],
  finishedWebhookIds: readonly string[],
): Promise<LaneState[]> {
  const timestampOf = (ms: number | null) => (ms === null || ms === 0 ? null : new Date(ms).toISOString())
  return db<LaneState[]>`
    with came as (
      select
        id::uuid as id, webhook_id::uuid as webhook_id, state, next_attempt_at::timestamptz as next_attempt_at,
        attempted_at::timestamptz as attempted_at, latency_ms, status, failure, held_until::timestamptz as held_until
      from unnest(
        ${db.types.texts(outcomes.map(({ deliveryId }) => deliveryId))}::text[],
        ${db.types.texts(outcomes.map(({ webhookId }) => webhookId))}::text[],
        ${db.types.texts(outcomes.map(({ state }) => state))}::text[],
        ${db.types.texts(outcomes.map(({ nextAttemptAtMs }) => timestampOf(nextAttemptAtMs)))}::text[],
        ${db.types.texts(outcomes.map(({ attemptedAtMs }) => timestampOf(attemptedAtMs)))}::text[],
        ${outcomes.map(({ latencyMs }) => latencyMs)}::integer[],
        ${outcomes.map(({ status }) => status)}::integer[],
        ${db.types.texts(outcomes.map(({ failure }) => failure))}::text[],
        ${db.types.texts(outcomes.map(({ holdUntilMs }) => timestampOf(holdUntilMs)))}::text[]
      ) as came (
        id, webhook_id, state, next_attempt_at, attempted_at, latency_ms, status, failure, held_until
      )
    ),
    ended as (
      update webhooks.deliveries d
      set
        state = case when came.state = 'waiting' and not w.active then 'canceled' else came.state end,
        worker = null,
        attempts = d.attempts + 1,
        next_attempt_at = coalesce(came.next_attempt_at, d.next_attempt_at),
        last_attempt_at = came.attempted_at,
        latency_ms = came.latency_ms,
        status = came.status,
        failure = came.failure,
        finished_at = case when came.state = 'waiting' and w.active then null else now() end
      from came
      join webhooks.webhooks w on w.id = came.webhook_id
      where d.id = came.id and d.worker = ${worker}::uuid and d.state = 'sending'
    ),
    targets as (
      select
        webhook_id,
        bool_or(state = 'delivered') as has_taken,
        count(*) filter (where state <> 'delivered') as failures,
        min(attempted_at) as since,
        max(held_until) as held_until
      from came
      group by webhook_id
    )
    update webhooks.lanes l
    set
      worker = case
        when l.worker = ${worker}::uuid and l.webhook_id = any (${db.types.texts(finishedWebhookIds)}::text[]::uuid[]) then null
        else l.worker
      end,
      failing_since = case when t.has_taken then null else coalesce(l.failing_since, t.since) end,
      failures = case when t.has_taken then 0 else l.failures + t.failures end,
      held_until = greatest(l.held_until, t.held_until)
    from targets t
    where l.webhook_id = t.webhook_id
    returning l.webhook_id as "webhookId", l.failing_since as "failingSince", l.failures`
}

/** Stores the rendered data of events, for later attempts and other webhooks. */
export async function storeData(db: Database, data: ReadonlyMap<string, string>): Promise<void> {
  await db`
    update webhooks.events e
    set data = made.data
    from unnest(
      ${db.types.texts([...data.keys()])}::text[],
      ${db.types.texts([...data.values()])}::text[]
    ) as made (id, data)
    where e.id = made.id and e.data is null`
}
