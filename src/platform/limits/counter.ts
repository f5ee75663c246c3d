import type { RateLimit } from './limits.js'

/** How much of its limit a key has used. */
export interface LimitStatus {
  readonly limit: number
  /** How many may follow at once. */
  readonly remaining: number
  /** Seconds until the whole limit is available again. */
  readonly resetSeconds: number
  /** 0 when this one is allowed; otherwise seconds until the next one is. */
  readonly retryAfterSeconds: number
}

/** Counts by key. */
export interface Counter<Key> {
  /** Counts one, against the key's own limit if it has one. Null when there is no limit. */
  take(key: Key, ownLimit?: number | null): LimitStatus | null
  /** Seconds that this key has to wait before one more is allowed. Counts nothing. */
  waitSeconds(key: Key): number
  /** Puts one back into the bucket of a key, with the limit that it was taken from: it turned out not to count. */
  giveBack(key: Key, ownLimit?: number | null): void
  /** Replaces what a key has left in its bucket. Below 0 it has to wait for as much more. */
  setTokens(key: Key, tokens: number): void
}

/** State of a key: the count of a window and its start, or the tokens left at a time. */
interface Entry {
  readonly amount: number
  readonly atMs: number
}

type Count = (
  entry: Entry | undefined,
  limit: number,
  windowMs: number,
  now: number,
) => { readonly entry: Entry; readonly status: LimitStatus }

/** From this many keys on, those that have not been used for a whole window are dropped now and again. */
const MIN_SWEEP_SIZE = 10_000

/**
 * Creates the counter of a rate limit, with a clock in Unix milliseconds. Every process counts for itself, unless it shares what
 * it counts (`shared-budget.ts`).
 * @param defaultLimit For keys without a limit of their own; 0 is no limit.
 */
export function createCounter<Key>(
  { algorithm, windowMs, maxKeys, default: defaultOfLimit }: RateLimit,
  clock: () => number,
  defaultLimit: number = defaultOfLimit,
): Counter<Key> {
  const count = algorithm === 'token bucket' ? takeToken : countInWindow
  const entries = new Map<Key, Entry>()
  let nextSweepSize = MIN_SWEEP_SIZE

  /** Waits until as many keys were added as the last sweep left, so that each count pays for a few. */
  function dropUnused(now: number): void {
    if (entries.size < nextSweepSize) return
    for (const [key, { atMs }] of entries) if (now - atMs >= windowMs) entries.delete(key)
    nextSweepSize = Math.max(MIN_SWEEP_SIZE, 2 * entries.size)
  }

  return {
    take(key, ownLimit) {
      const limit = ownLimit ?? defaultLimit
      if (limit === 0) return null
      const now = clock()
      dropUnused(now)
      const { entry, status } = count(entries.get(key), limit, windowMs, now)
      if (maxKeys !== undefined) entries.delete(key)
      entries.set(key, entry)
      if (maxKeys !== undefined && entries.size > maxKeys) entries.delete(entries.keys().next().value!)
      return status
    },
    waitSeconds(key) {
      if (defaultLimit === 0) return 0
      return count(entries.get(key), defaultLimit, windowMs, clock()).status.retryAfterSeconds
    },
    giveBack(key) {
      const entry = entries.get(key)
      if (entry) entries.set(key, { ...entry, amount: entry.amount + 1 })
    },
    setTokens(key, tokens) {
      entries.set(key, { amount: tokens, atMs: clock() })
    },
  }
}

const countInWindow: Count = (entry, limit, windowMs, now) => {
  // A clock that goes back begins another window: this one would last until it has caught up.
  const isRunning = entry !== undefined && now >= entry.atMs && now - entry.atMs < windowMs
  const atMs = isRunning ? entry.atMs : now
  const amount = (isRunning ? entry.amount : 0) + 1
  const resetSeconds = Math.ceil((atMs + windowMs - now) / 1000)
  return {
    entry: { amount, atMs },
    status: {
      limit,
      remaining: Math.max(0, limit - amount),
      resetSeconds,
      retryAfterSeconds: amount > limit ? resetSeconds : 0,
    },
  }
}

const takeToken: Count = (entry, limit, windowMs, now) => {
  const tokensPerMs = limit / windowMs
  const { amount, atMs } = entry ?? { amount: limit, atMs: now }
  // A clock that goes back adds nothing.
  const refilled = Math.min(limit, amount + Math.max(0, now - atMs) * tokensPerMs)
  const isAllowed = refilled >= 1
  const tokens = isAllowed ? refilled - 1 : refilled
  return {
    entry: { amount: tokens, atMs: now },
    status: {
      limit,
      remaining: Math.max(0, Math.floor(tokens)),
      resetSeconds: Math.ceil((limit - tokens) / tokensPerMs / 1000),
      retryAfterSeconds: isAllowed ? 0 : Math.ceil((1 - tokens) / tokensPerMs / 1000),
    },
  }
}
