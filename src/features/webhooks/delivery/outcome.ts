import type { Fragment } from '#postgres'
import { nextAttemptAt, parseRetryAfter, RETRY_WINDOW_MS } from '../../../outbox/retry-schedule.js'
import type { Database } from '../../../platform/db/connection.js'
import { HOUR_MS } from '../../../platform/durations.js'
import type { NetAnswer } from '../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure } from '../../../platform/outbound/net-failure.js'
import { cutText } from '../../../platform/text/cut-text.js'

/** The outcome of an attempt. */
export interface DeliveryOutcome {
  readonly deliveryId: string
  readonly webhookId: string
  /** The target that was asked. The webhook may have another one meanwhile. */
  readonly targetUrl: string
  /** `waiting`: it is retried. `failed`: it is a dead letter, which only a redelivery sends again. */
  readonly state: 'delivered' | 'waiting' | 'failed'
  /** Unix milliseconds, while it waits. */
  readonly nextAttemptAtMs: number | null
  readonly attemptedAtMs: number
  readonly latencyMs: number
  /** HTTP status; null without an answer. */
  readonly status: number | null
  /** The reason of a failure, in words; null after a success. */
  readonly failure: string | null
  /** This server failed and not the target: it is retried, and does not count against the target. */
  readonly isLocal: boolean
  /** The beginning of the body of a response that was no success; null without a response or a body. */
  readonly response: string | null
  /** The target asks for no request before this moment, in Unix milliseconds; 0 if it does not ask. */
  readonly holdUntilMs: number
}

/** An attempt that has ended. `random` is from 0 to 1. */
export interface DeliveryAttempt {
  readonly delivery: {
    id: string
    webhookId: string
    targetUrl: string
    attempts: number
    sinceFirstAttemptMs: number
  }
  readonly attemptedAtMs: number
  readonly nowMs: number
  readonly random: number
}

/** More than any timeout of a webhook. */
const MAX_LATENCY_MS = 3_600_000
/** The target is gone for good. */
const GONE = 410
/** Kept of a response. Error pages say what is wrong at their beginning, and many of them must fit into the table. */
const MAX_RESPONSE_LENGTH = 1_000
/** With these statuses `Retry-After` is about the target and not about one request (RFC 6585, RFC 9110). */
const targetWideStatuses: ReadonlySet<number> = new Set([429, 503])

/** Longest pause between two attempts that counts as time of failures: more than the longest delay of a retry. */
const MAX_PAUSE_MS = 5 * HOUR_MS

/** Judges an answer: 2xx is a success; everything else, redirects too, is retried. */
export function outcomeOf(
  response: NetAnswer | NetFailure,
  { delivery, attemptedAtMs, nowMs, random }: DeliveryAttempt,
): DeliveryOutcome {
  const [status, failure, retryAfter] = isNetFailure(response)
    ? [null, `${response.kind}: ${response.detail}`, undefined]
    : [response.status, `the target answered ${response.status}`, response.headers['retry-after']]
  const base = {
    deliveryId: delivery.id,
    webhookId: delivery.webhookId,
    targetUrl: delivery.targetUrl,
    attemptedAtMs,
    // A clock that was set meanwhile, as on a machine that finds the time after its start, says nothing.
    latencyMs: Math.min(Math.max(0, nowMs - attemptedAtMs), MAX_LATENCY_MS),
    status,
    isLocal: isNetFailure(response) && response.kind === 'local',
  }
  if (status !== null && status >= 200 && status < 300) {
    return {
      ...base,
      state: 'delivered',
      nextAttemptAtMs: null,
      failure: null,
      response: null,
      holdUntilMs: 0,
    }
  }
  const retryAfterMs = Math.min(parseRetryAfter(retryAfter, nowMs), RETRY_WINDOW_MS)
  const attempts = delivery.attempts + 1
  const firstAttemptAtMs = attemptedAtMs - delivery.sinceFirstAttemptMs
  const next = nextAttemptAt({ attempts, firstAttemptAtMs, nowMs, retryAfterMs }, random)
  const nextAttemptAtMs = status === GONE ? null : next
  const holdUntilMs = retryAfterMs > 0 && targetWideStatuses.has(status ?? 0) ? nowMs + retryAfterMs : 0
  const state = nextAttemptAtMs === null ? 'failed' : 'waiting'
  return { ...base, state, nextAttemptAtMs, failure, response: keptResponse(response), holdUntilMs }
}

/** Whether the target says that it is gone for good. */
export function isGone({ status }: Pick<DeliveryOutcome, 'status'>): boolean {
  return status === GONE
}

/** The beginning of a body as text. PostgreSQL stores no NUL. */
function keptResponse(response: NetAnswer | NetFailure): string | null {
  if (isNetFailure(response) || response.bytes.length === 0) return null
  const text = new TextDecoder().decode(response.bytes.subarray(0, MAX_RESPONSE_LENGTH * 4))
  return cutText(text.replaceAll('\0', '\ufffd'), MAX_RESPONSE_LENGTH)
}

/** The failures of a webhook, after a settlement. */
export interface LaneState {
  readonly webhookId: string
  readonly targetUrl: string
  /** This target has answered 410. */
  readonly isTargetGone: boolean
  /** An outcome was of a target that the webhook had before. */
  readonly hasNewTarget: boolean
  /** Later than the first failure by the pauses in which nothing was attempted. */
  readonly failingSince: Date | null
  /** Time from the first failure to the last, by the clock of the database; 0 if it does not fail. */
  readonly failingForMs: number
  /** Failures since the last success. */
  readonly failures: number
}

/**
 * Writes the outcomes of attempts into the database, in one statement. A delivery that another worker has claimed
 * meanwhile, because this one seemed dead, stays with the other. A failure of a target that was replaced meanwhile says
 * nothing about the new one: the delivery is due at once, and nothing else of the webhook changes. Outcomes that are settled
 * again, because the reply of the database was lost, count once; what they say of the target is returned again. A pause in
 * which nothing was attempted, and for which the target did not ask, is no time of failures.
 *
 * @param nowMs The clock of this worker. The database keeps its own: times are written as far from its now as they are
 * from this, so a worker whose clock is wrong retries neither at once nor hours late.
 * @param finishedWebhookIds Webhooks of which this worker has nothing any more: another worker may claim them.
 */
export async function settleOutcomes(
  db: Database,
  worker: string,
  outcomes: readonly DeliveryOutcome[],
  { nowMs, finishedWebhookIds }: { readonly nowMs: number; readonly finishedWebhookIds: readonly string[] },
): Promise<LaneState[]> {
  return db<LaneState[]>`
    with came as (${outcomeRows(db, outcomes, nowMs)}),
    ended as (
      update webhooks.deliveries d
      set
        state = case when came.state = 'waiting' and not came.active then 'canceled' else came.state end,
        worker = null,
        attempts = d.attempts + 1,
        next_attempt_at = coalesce(came.next_attempt_at, d.next_attempt_at),
        last_attempt_at = came.attempted_at,
        latency_ms = came.latency_ms,
        status = came.status,
        failure = came.failure,
        response = came.response,
        finished_at = case when came.state = 'waiting' and came.active then null else now() end
      from came
      where d.id = came.id and d.worker = ${worker}::uuid and d.state = 'sending'
      returning d.id
    ),
    targets as (
      select
        webhook_id,
        target_url,
        coalesce(bool_or(state = 'delivered') filter (where is_current and ended.id is not null), false) as has_taken,
        count(ended.id) filter (where is_current and state <> 'delivered' and not is_local) as failures,
        max(held_until) filter (where is_current) as held_until,
        coalesce(bool_or(status = ${GONE}) filter (where is_current), false) as is_gone,
        not bool_and(is_current) as has_new_target
      from came
      left join ended on ended.id = came.id
      group by webhook_id, target_url
    )
    update webhooks.lanes l
    set
      worker = case
        when l.worker = ${worker}::uuid and l.webhook_id = any (${db.types.texts(finishedWebhookIds)}::text[]::uuid[]) then null
        else l.worker
      end,
      failing_since = case
        when t.has_taken then null
        when t.failures > 0 then coalesce(l.failing_since + ${uncountedPause(db)}, now())
        else l.failing_since
      end,
      failed_at = case when t.failures > 0 then now() else l.failed_at end,
      failures = case when t.has_taken then 0 else l.failures + t.failures end,
      held_until = greatest(l.held_until, t.held_until),
      unsigned_since = null
    from targets t
    where l.webhook_id = t.webhook_id
    returning
      l.webhook_id as "webhookId", t.target_url as "targetUrl", t.is_gone as "isTargetGone",
      t.has_new_target as "hasNewTarget", l.failing_since as "failingSince",
      coalesce(extract(epoch from l.failed_at - l.failing_since)::double precision * 1000, 0) as "failingForMs", l.failures`
}

/** The time without attempts before a failure, if it is longer than any delay of a retry; otherwise 0. */
function uncountedPause(db: Database): Fragment {
  const pause = db`(now() - greatest(l.failing_since, l.failed_at, l.held_until))`
  return db`case when ${pause} > ${MAX_PAUSE_MS}::integer * interval '1 millisecond' then ${pause} else interval '0' end`
}

/** The outcomes as rows, with what their webhooks are now. */
function outcomeRows(db: Database, outcomes: readonly DeliveryOutcome[], nowMs: number): Fragment {
  /** Milliseconds from now, by the clock of this worker. */
  const distanceOf = (ms: number | null) => (ms === null || ms === 0 ? null : Math.round(ms - nowMs))
  return db`
    select
      came.id::uuid as id, w.id as webhook_id, w.active, w.target_url, w.target_url = came.target_url as is_current,
      case when w.target_url = came.target_url or came.state = 'delivered' then came.state else 'waiting' end as state,
      case when w.target_url = came.target_url then ${fromNow(db, db`next_attempt_in`)} else now() end as next_attempt_at,
      attempted_at::timestamptz as attempted_at, latency_ms, status, failure, is_local, response,
      ${fromNow(db, db`held_for`)} as held_until
    from unnest(
      ${db.types.texts(outcomes.map(({ deliveryId }) => deliveryId))}::text[],
      ${db.types.texts(outcomes.map(({ webhookId }) => webhookId))}::text[],
      ${db.types.texts(outcomes.map(({ targetUrl }) => targetUrl))}::text[],
      ${db.types.texts(outcomes.map(({ state }) => state))}::text[],
      ${outcomes.map(({ nextAttemptAtMs }) => distanceOf(nextAttemptAtMs))}::bigint[],
      ${db.types.texts(outcomes.map(({ attemptedAtMs }) => new Date(attemptedAtMs).toISOString()))}::text[],
      ${outcomes.map(({ latencyMs }) => latencyMs)}::integer[],
      ${outcomes.map(({ status }) => status)}::integer[],
      ${db.types.texts(outcomes.map(({ failure }) => failure))}::text[],
      ${db.types.bools(outcomes.map(({ isLocal }) => isLocal))}::boolean[],
      ${db.types.texts(outcomes.map(({ response }) => response))}::text[],
      ${outcomes.map(({ holdUntilMs }) => distanceOf(holdUntilMs))}::bigint[]
    ) as came (
      id, webhook_id, target_url, state, next_attempt_in, attempted_at, latency_ms, status, failure, is_local, response,
      held_for
    )
    join webhooks.webhooks w on w.id = came.webhook_id::uuid`
}

/** The moment that is a number of milliseconds from now. */
function fromNow(db: Database, ms: Fragment): Fragment {
  return db`now() + ${ms} * interval '1 millisecond'`
}
