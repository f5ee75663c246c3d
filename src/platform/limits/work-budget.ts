import type { CallerName } from './caller-name.js'
import type { LimitStatus } from './counter.js'
import type { RateLimit } from './limits.js'

/** Remaining budget of work, by caller. */
export interface WorkBudget {
  /** Null without a limit. */
  status(caller: CallerName): LimitStatus | null
  /** Takes what work has cost, also more than is left: then the caller waits until that has refilled. */
  spend(caller: CallerName, cost: number): LimitStatus | null
}

/**
 * Creates a bucket for each caller that holds a window's work and refills evenly. What a request costs is known when it is
 * answered, so it is let in while anything is left, and pays afterwards.
 *
 * @param clock Unix milliseconds.
 * @param max What a bucket holds; 0 is no limit.
 */
export function createWorkBudget(
  { windowMs, maxKeys }: RateLimit & { readonly maxKeys: number },
  clock: () => number,
  max: number,
): WorkBudget {
  const buckets = new Map<CallerName, { readonly left: number; readonly atMs: number }>()
  const perMs = max / windowMs

  function leftOf(caller: CallerName, now: number): number {
    const bucket = buckets.get(caller)
    if (bucket === undefined) return max
    // A clock that goes back adds nothing.
    return Math.min(max, bucket.left + Math.max(0, now - bucket.atMs) * perMs)
  }

  function statusOf(left: number): LimitStatus {
    return {
      limit: max,
      remaining: Math.max(0, Math.floor(left)),
      resetSeconds: Math.ceil((max - left) / perMs / 1_000),
      retryAfterSeconds: left > 0 ? 0 : Math.max(1, Math.ceil(-left / perMs / 1_000)),
    }
  }

  return {
    status: (caller) => (max === 0 ? null : statusOf(leftOf(caller, clock()))),
    spend(caller, cost) {
      if (max === 0) return null
      const now = clock()
      const left = leftOf(caller, now) - cost
      // The least recently used is dropped first.
      buckets.delete(caller)
      buckets.set(caller, { left, atMs: now })
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value!)
      return statusOf(left)
    },
  }
}
