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
   * cache keeps the refusal for another address. Those that wait for others of the address throw it by their promise.
   */
  lookUpFrom(address: string): LookUp
}

/** The look-ups of an address that are under way. */
interface Running {
  count: number
  /** Continue those that wait. */
  readonly waiting: (() => void)[]
}

/**
 * Creates the count of look-ups that found nothing. What was found is not counted: after a start all apps behind one proxy
 * are looked up at once. Nobody knows beforehand which a look-up is, so each takes a token until it has ended, and where there
 * is none, others wait for those that may give theirs back.
 *
 * @param clock Unix milliseconds.
 */
export function createUnknownCredentials(clock: () => number): UnknownCredentials {
  const failures = createCounter<CallerName>(limits.unknownCredentials, clock)
  const runningOf = new Map<CallerName, Running>()

  async function run<Found>(caller: CallerName, look: () => Promise<Found | null>): Promise<Found | null> {
    const running = runningOf.get(caller) ?? { count: 0, waiting: [] }
    runningOf.set(caller, running)
    running.count += 1
    let isCounted = false
    try {
      const found = await look()
      isCounted = found === null
      return found
    } finally {
      if (!isCounted) failures.giveBack(caller)
      running.count -= 1
      if (running.count === 0) runningOf.delete(caller)
      // The last one leaves nobody to wait for: those without a token are refused.
      const next = running.count === 0 ? running.waiting : running.waiting.splice(0, isCounted ? 0 : 1)
      for (const resume of next) resume()
    }
  }

  function lookUp<Found>(caller: CallerName, look: () => Promise<Found | null>): Promise<Found | null> {
    const retryAfterSeconds = failures.take(caller)?.retryAfterSeconds ?? 0
    if (retryAfterSeconds === 0) return run(caller, look)
    const running = runningOf.get(caller)
    if (running === undefined) {
      const problem = 'too many unknown API keys or sessions from this address'
      throw new PlazaError('bad_request.rate_limited', problem, { retryAfterSeconds })
    }
    return new Promise<void>((resume) => running.waiting.push(resume)).then(() => lookUp(caller, look))
  }

  // Known credentials are not looked up: their requests do not pay for the name of their address.
  return { lookUpFrom: (address) => (look) => lookUp(callerAt(address), look) }
}
