import { PlazaError } from '../errors.js'

/** Something that must have ended at a time. */
export interface Deadline {
  /** Milliseconds of `performance.now()`. It may change while the deadline is watched. */
  untilMs: number
  /** Called once, when the time has come. */
  expire(): void
}

/** Why a request may take longer than `REQUEST_TIMEOUT_MS`, and how long: it waits for others by its nature. */
export interface LongWait {
  readonly limitMs: number
  /** Completes "it waits for". */
  readonly reason: string
}

/** Error text for a request that was not answered in time. */
export const timeoutText =
  'the server could not answer in time: try again. A write may have happened; with the same idem it happens once'

/** Polls of the deadlines within the shortest timeout. */
const POLLS_PER_TIMEOUT = 20
const MAX_TICK_MS = 250
const MIN_TICK_MS = 5

/**
 * Watches any number of deadlines with one timer. A deadline costs an entry of a set, and not a timer: requests come and go
 * by the thousand, and almost none reaches its deadline. It expires up to one tick before its time, and later
 * only while the thread is busy.
 */
export class Deadlines {
  readonly #watched = new Set<Deadline>()
  readonly #tickMs: number
  #isTimed = false

  /** @param shortestMs The shortest time for which a deadline is watched. */
  constructor(shortestMs: number) {
    this.#tickMs = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, shortestMs / POLLS_PER_TIMEOUT))
  }

  /** The number of deadlines that are watched. */
  get size(): number {
    return this.#watched.size
  }

  /** Watches a deadline until it expires or is removed. */
  add(deadline: Deadline): void {
    this.#watched.add(deadline)
    if (!this.#isTimed) this.#lookLater()
  }

  /** Watches a deadline no more. */
  remove(deadline: Deadline): void {
    this.#watched.delete(deadline)
  }

  #lookLater(): void {
    this.#isTimed = true
    // A process that has nothing else to do may end.
    setTimeout(() => this.#look(), this.#tickMs).unref()
  }

  #look(): void {
    this.#isTimed = false
    const nextLookMs = performance.now() + this.#tickMs
    for (const deadline of this.#watched) {
      if (deadline.untilMs > nextLookMs) continue
      this.#watched.delete(deadline)
      deadline.expire()
    }
    if (this.#watched.size > 0 && !this.#isTimed) this.#lookLater()
  }
}

/**
 * Returns the result of work, which goes on when it takes longer.
 *
 * @throws PlazaError `unavailable` when the time is over.
 */
export function within<Result>(
  deadlines: Deadlines,
  limitMs: number,
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const deadline: Deadline = {
      untilMs: performance.now() + limitMs,
      expire: () => reject(new PlazaError('unavailable', timeoutText)),
    }
    deadlines.add(deadline)
    work.then(resolve, reject).finally(() => deadlines.remove(deadline))
  })
}
