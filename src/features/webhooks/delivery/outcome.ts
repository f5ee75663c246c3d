import { nextAttemptAt, parseRetryAfter, RETRY_WINDOW_MS } from '../../../outbox/retry-schedule.js'
import type { NetAnswer } from '../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure } from '../../../platform/outbound/net-failure.js'

/** The outcome of an attempt. */
export interface DeliveryOutcome {
  readonly deliveryId: string
  readonly webhookId: string
  /** `waiting`: it is retried. `failed`: it is a dead letter, which only a redelivery sends again. */
  readonly state: 'delivered' | 'waiting' | 'failed'
  /** Unix milliseconds, while it waits. */
  readonly nextAttemptAtMs: number | null
  readonly attemptedAtMs: number
  readonly latencyMs: number
  /** Of HTTP; null without an answer. */
  readonly status: number | null
  /** The reason of a failure, in words; null after a success. */
  readonly failure: string | null
  /** The target asks for no request before this moment, in Unix milliseconds; 0 if it does not ask. */
  readonly holdUntilMs: number
  /** The target answered 410: it is gone for good. */
  readonly isGone: boolean
}

/** An attempt that has ended, and the delivery that it belongs to. */
export interface DeliveryAttempt {
  readonly deliveryId: string
  readonly webhookId: string
  /** Attempts since it was last enqueued, this one included. */
  readonly attempts: number
  readonly firstAttemptAtMs: number
  readonly attemptedAtMs: number
  readonly nowMs: number
  /** From 0 to 1. */
  readonly random: number
}

const GONE = 410
/** With these statuses `Retry-After` is about the target and not about one request (RFC 6585, RFC 9110). */
const targetWideStatuses: ReadonlySet<number> = new Set([429, 503])

/** Judges an answer: 2xx is a success; everything else, redirects too, is retried. */
export function outcomeOf(response: NetAnswer | NetFailure, attempt: DeliveryAttempt): DeliveryOutcome {
  const { deliveryId, webhookId, attempts, firstAttemptAtMs, attemptedAtMs, nowMs } = attempt
  const base = { deliveryId, webhookId, attemptedAtMs, latencyMs: nowMs - attemptedAtMs }
  const status = isNetFailure(response) ? null : response.status
  if (status !== null && status >= 200 && status < 300) {
    return {
      ...base,
      state: 'delivered',
      nextAttemptAtMs: null,
      status,
      failure: null,
      holdUntilMs: 0,
      isGone: false,
    }
  }
  const requestedDelayMs = isNetFailure(response)
    ? 0
    : parseRetryAfter(response.headers['retry-after'], nowMs)
  const retryAfterMs = Math.min(requestedDelayMs, RETRY_WINDOW_MS)
  const next = nextAttemptAt({ attempts, firstAttemptAtMs, nowMs, retryAfterMs }, attempt.random)
  const isFinal = next === null || status === GONE
  return {
    ...base,
    state: isFinal ? 'failed' : 'waiting',
    nextAttemptAtMs: isFinal ? null : next,
    status,
    failure: isNetFailure(response)
      ? `${response.kind}: ${response.detail}`
      : `the target answered ${response.status}`,
    holdUntilMs: retryAfterMs > 0 && targetWideStatuses.has(status ?? 0) ? nowMs + retryAfterMs : 0,
    isGone: status === GONE,
  }
}
