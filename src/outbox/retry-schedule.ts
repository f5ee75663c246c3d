import { HOUR_MS, SECOND_MS } from '../platform/durations.js'

/** The delay after the first failure. */
const FIRST_DELAY_MS = 5 * SECOND_MS
/** Each delay, as a multiple of the one before. */
const GROWTH = 3
const MAX_DELAY_MS = 4 * HOUR_MS
/** The part of a delay by which chance makes it longer or shorter: what failed together is not retried together. */
const JITTER = 0.2
/** No attempt begins later than this after the first one. */
export const RETRY_WINDOW_MS = 24 * HOUR_MS

/** A failed attempt, on which the time of the next one depends. */
export interface FailedAttempt {
  /** Attempts so far, this one included. */
  readonly attempts: number
  /** Unix milliseconds. */
  readonly firstAttemptAtMs: number
  readonly nowMs: number
  /** The delay that the target asked for in `Retry-After`; 0 without one. */
  readonly retryAfterMs: number
}

/**
 * Computes the time of the next attempt, in Unix milliseconds; null when the delivery has failed for good. The delays
 * are 5 s, 15 s, 45 s, about 2, 7, 20 and 60 minutes, 3 hours, then 4 hours each until a day is over: 13 attempts. A
 * target that asks for a longer delay gets it, within that day.
 *
 * @param random From 0 to 1.
 */
export function nextAttemptAt(failed: FailedAttempt, random: number): number | null {
  const { attempts, firstAttemptAtMs, nowMs, retryAfterMs } = failed
  const backoffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * GROWTH ** (attempts - 1))
  const jitteredMs = backoffMs * (1 + JITTER * (2 * random - 1))
  const end = firstAttemptAtMs + RETRY_WINDOW_MS
  const next = nowMs + Math.max(jitteredMs, retryAfterMs)
  if (next <= end) return Math.round(next)
  // A target that asks for a longer delay than the rest of the day gets a last attempt at its end.
  return retryAfterMs > jitteredMs && nowMs < end ? end : null
}

/** Reads `Retry-After`, seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; 0 without a readable one. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS
  // The obsolete form of asctime names no zone.
  const date = Date.parse(/GMT$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? 0 : Math.max(0, date - nowMs)
}
