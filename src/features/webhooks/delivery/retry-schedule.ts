const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** After the first failure; each later one waits this many times as long. */
const FIRST_DELAY_MS = 5 * SECOND_MS
const GROWTH = 3
const LONGEST_DELAY_MS = 4 * HOUR_MS
/** Part of a delay by which it is made longer or shorter, so that what failed together is not tried together. */
const JITTER = 0.2
/** From the first attempt: no attempt begins later. */
export const RETRY_WINDOW_MS = 24 * HOUR_MS

/** What the time of the next attempt depends on. */
export interface FailedAttempt {
  /** How many there have been, this one included. */
  readonly attempts: number
  /** Unix milliseconds. */
  readonly firstAttemptAtMs: number
  readonly nowMs: number
  /** What the target asked for in `Retry-After`; 0 for nothing. */
  readonly retryAfterMs: number
}

/**
 * When to try again, in Unix milliseconds; null when the delivery has failed for good. The delays are 5 s, 15 s, 45 s,
 * about 2, 7, 20 and 60 minutes, 3 hours, then 4 hours each until a day is over: 13 attempts. A target that asks for a
 * longer delay gets it, within that day.
 *
 * @param random From 0 to 1.
 */
export function nextAttemptAt(failed: FailedAttempt, random: number): number | null {
  const { attempts, firstAttemptAtMs, nowMs, retryAfterMs } = failed
  const backoffMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * GROWTH ** (attempts - 1))
  const jitteredMs = backoffMs * (1 + JITTER * (2 * random - 1))
  const end = firstAttemptAtMs + RETRY_WINDOW_MS
  const next = nowMs + Math.max(jitteredMs, retryAfterMs)
  if (next <= end) return Math.round(next)
  // Whoever asks for more than what is left gets a last attempt at the end.
  return retryAfterMs > jitteredMs && nowMs < end ? end : null
}

/** What `Retry-After` asks for, in milliseconds from now: seconds or a date (RFC 9110, 10.2.3). 0 for nothing. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - nowMs)
}
