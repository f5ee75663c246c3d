import type { Caller } from './caller.js'

/** Where a key stands with its limit. */
export interface RateLimitStatus {
  /** Requests per minute. */
  readonly limit: number
  /** Requests that may follow at once. */
  readonly remaining: number
  /** Until everything may be used again. */
  readonly resetSeconds: number
  /** 0 when the request may pass; otherwise how long to wait for the next one. */
  readonly retryAfterSeconds: number
}

interface Bucket {
  tokens: number
  filledAtMs: number
}

const MINUTE_MS = 60_000
/** From this many on, full buckets, which say nothing, are dropped now and again. */
const MIN_SWEEP_SIZE = 10_000

/**
 * Counts the requests of each key: a bucket that holds a minute's worth and fills evenly. Every process counts
 * for itself, so that two of them behind a balancer let through up to twice as much.
 *
 * @param defaultLimit Requests per minute of a key that has no limit of its own; 0 is no limit.
 * @param clock Unix milliseconds.
 */
export function createRateLimiter(defaultLimit: number, clock: () => number) {
  const buckets = new Map<number, Bucket>()
  let nextSweepSize = MIN_SWEEP_SIZE

  /** Each time that as many have come as were left the last time: a request pays for a few buckets at most. */
  function dropFull(now: number): void {
    if (buckets.size < nextSweepSize) return
    for (const [keyId, { filledAtMs }] of buckets) {
      if (now - filledAtMs >= MINUTE_MS) buckets.delete(keyId)
    }
    nextSweepSize = Math.max(MIN_SWEEP_SIZE, 2 * buckets.size)
  }

  return {
    /** Counts a request. Null when the key has no limit. */
    take({ keyId, rateLimit }: Caller): RateLimitStatus | null {
      const limit = rateLimit ?? defaultLimit
      if (limit === 0) return null
      const now = clock()
      dropFull(now)
      const tokensPerMs = limit / MINUTE_MS
      const bucket = buckets.get(keyId) ?? { tokens: limit, filledAtMs: now }
      const refilled = Math.min(limit, bucket.tokens + Math.max(0, now - bucket.filledAtMs) * tokensPerMs)
      const isAllowed = refilled >= 1
      const tokens = isAllowed ? refilled - 1 : refilled
      buckets.set(keyId, { tokens, filledAtMs: now })
      return {
        limit,
        remaining: Math.floor(tokens),
        resetSeconds: Math.ceil((limit - tokens) / tokensPerMs / 1000),
        retryAfterSeconds: isAllowed ? 0 : Math.ceil((1 - tokens) / tokensPerMs / 1000),
      }
    },
  }
}

/** Counts the requests of each key. */
export type RateLimiter = ReturnType<typeof createRateLimiter>
