import { PlazaError } from '../platform/errors.js'
import { type CallerName, callerAt } from '../platform/limits/caller-name.js'
import { createCounter } from '../platform/limits/counter.js'
import { limits } from '../platform/limits/limits.js'

/** Runs a lookup in the database, unless too many others of the same sender found nothing. */
export type LookUp = <Found>(look: () => Promise<Found | null>) => Promise<Found | null>

/** Bounds lookups of API keys and console sessions that this process has not seen valid. */
export interface UnknownCredentials {
  /**
   * Returns the lookups of an address. They throw PlazaError `bad_request.rate_limited` at once, not by a promise, so that no
   * cache keeps the refusal for another address. Those that wait for others of the address throw it by their promise.
   */
  lookUpFrom(address: string): LookUp
}

/** A lookup that waits for a token. */
interface Waiter {
  readonly start: () => void
  readonly refuse: (refusal: PlazaError) => void
}

/** The lookups of an address that are under way, and those that wait, the oldest first. */
interface Running {
  count: number
  readonly waiting: Waiter[]
}

/** Lookups of an address that wait. Each holds its request; all apps behind one proxy come at once after a start. */
const MAX_WAITING = 1_000
/** The longest wait: half of what a request has. A lookup whose request has ended would take a token from one that goes on. */
const MAX_WAIT_MS = 5_000

/**
 * Creates the count of lookups that found nothing. What was found is not counted: after a start all apps behind one proxy
 * are looked up at once. Nobody knows beforehand which a lookup is, so each takes a token until it has ended, and where there
 * is none, others wait for those that may give theirs back.
 *
 * @param clock Unix milliseconds.
 * @param waitMs Another limit, for tests.
 */
export function createUnknownCredentials(
  clock: () => number,
  waitMs: number = MAX_WAIT_MS,
): UnknownCredentials {
  const failures = createCounter<CallerName>(limits.unknownCredentials, clock)
  const runningOf = new Map<CallerName, Running>()

  /** Takes a token; returns the refusal where there is none. */
  function take(caller: CallerName): PlazaError | null {
    const retryAfterSeconds = failures.take(caller)?.retryAfterSeconds ?? 0
    return retryAfterSeconds === 0 ? null : refusalFor(retryAfterSeconds)
  }

  async function run<Found>(
    caller: CallerName,
    running: Running,
    look: () => Promise<Found | null>,
  ): Promise<Found | null> {
    running.count += 1
    runningOf.set(caller, running)
    let isCounted = false
    try {
      const found = await look()
      isCounted = found === null
      return found
    } finally {
      if (!isCounted) failures.giveBack(caller)
      running.count -= 1
      admitWaiting(caller, running)
      if (running.count === 0) runningOf.delete(caller)
    }
  }

  /** Starts those for which there are tokens. When none is under way, nobody gives one back: the others are refused. */
  function admitWaiting(caller: CallerName, running: Running): void {
    while (running.waiting.length > 0) {
      const refusal = take(caller)
      if (refusal === null) running.waiting.shift()!.start()
      else if (running.count === 0) for (const { refuse } of running.waiting.splice(0)) refuse(refusal)
      else return
    }
  }

  function lookUp<Found>(caller: CallerName, look: () => Promise<Found | null>): Promise<Found | null> {
    const running = runningOf.get(caller) ?? { count: 0, waiting: [] }
    if (running.waiting.length >= MAX_WAITING) throw refusalFor(Math.max(1, failures.waitSeconds(caller)))
    if (running.count === 0) {
      const refusal = take(caller)
      if (refusal !== null) throw refusal
      return run(caller, running, look)
    }
    return new Promise((resolve, reject) => {
      const waiter = waiting({
        start: () => resolve(run(caller, running, look)),
        refuse: reject,
        waitMs,
        onTimeout() {
          running.waiting.splice(running.waiting.indexOf(waiter), 1)
          reject(refusalFor(Math.max(1, failures.waitSeconds(caller))))
        },
      })
      running.waiting.push(waiter)
      // There may be tokens; those that came before have them first.
      admitWaiting(caller, running)
    })
  }

  // Known credentials are not looked up: their requests do not pay for the name of their address.
  return { lookUpFrom: (address) => (look) => lookUp(callerAt(address), look) }
}

/** Makes a lookup that waits for its start or its refusal, or until it has waited too long. */
function waiting({
  start,
  refuse,
  waitMs,
  onTimeout,
}: Waiter & { readonly waitMs: number; readonly onTimeout: () => void }): Waiter {
  const timer = setTimeout(onTimeout, waitMs)
  return {
    start() {
      clearTimeout(timer)
      start()
    },
    refuse(refusal) {
      clearTimeout(timer)
      refuse(refusal)
    },
  }
}

function refusalFor(retryAfterSeconds: number): PlazaError {
  const problem = 'too many unknown API keys or sessions from this address'
  return new PlazaError('bad_request.rate_limited', problem, { retryAfterSeconds })
}
