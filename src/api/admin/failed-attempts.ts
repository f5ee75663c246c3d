import { LRUCache } from 'lru-cache'

/** Wrong tokens that an address may send before it has to wait, and for how long they are remembered. */
const MAX_FAILURES = 10
const WINDOW_MS = 60_000
/** Addresses that are remembered. */
const MAX_ADDRESSES = 10_000

interface Failures {
  count: number
  readonly untilMs: number
}

/** Counts who has tried to come in and could not. Each process counts for itself. */
export interface FailedAttempts {
  /** How long an address has to wait before it is listened to again; 0 when it has not to. */
  waitSeconds(address: string): number
  /** Counts a failure. */
  add(address: string): void
}

/**
 * Makes such a counter.
 *
 * @param clock Unix milliseconds.
 */
export function createFailedAttempts(clock: () => number): FailedAttempts {
  const addresses = new LRUCache<string, Failures>({ max: MAX_ADDRESSES })

  function recent(address: string): Failures | undefined {
    const failures = addresses.get(address)
    return failures && failures.untilMs > clock() ? failures : undefined
  }

  return {
    waitSeconds(address) {
      const failures = recent(address)
      if (failures === undefined || failures.count < MAX_FAILURES) return 0
      return Math.ceil((failures.untilMs - clock()) / 1000)
    },
    add(address) {
      const failures = recent(address)
      if (failures) failures.count += 1
      else addresses.set(address, { count: 1, untilMs: clock() + WINDOW_MS })
    },
  }
}
