import { PlazaError } from '../platform/errors.js'
import { type CallerName, callerAt } from '../platform/limits/caller-name.js'
import { createCounter } from '../platform/limits/counter.js'
import { limits } from '../platform/limits/limits.js'

/** Runs a look-up in the database, unless too many others of the same sender found nothing. */
export type LookUp = <Found>(look: () => Promise<Found | null>) => Promise<Found | null>

/** Bounds look-ups of API keys and console sessions that this process has not seen valid. */
export interface UnknownCredentials {
  /**
   * Returns the look-ups of an address. They throw PlazaError `bad_request.rate_limited` at once, not by a promise, so that no
   * cache keeps the refusal for another address.
   */
  lookUpFrom(address: string): LookUp
}

/**
 * Creates the count of look-ups that found nothing. What was found is not counted: after a start all apps behind one proxy
 * are looked up at once.
 *
 * @param clock Unix milliseconds.
 */
export function createUnknownCredentials(clock: () => number): UnknownCredentials {
  const failures = createCounter<CallerName>(limits.unknownCredentials, clock)
  return {
    lookUpFrom: (address) => (look) => {
      const caller = callerAt(address)
      const retryAfterSeconds = failures.waitSeconds(caller)
      if (retryAfterSeconds > 0) {
        const problem = 'too many unknown API keys or sessions from this address'
        throw new PlazaError('bad_request.rate_limited', problem, { retryAfterSeconds })
      }
      return look().then((found) => {
        if (found === null) failures.take(caller)
        return found
      })
    },
  }
}
