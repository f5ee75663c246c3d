import { PlazaError } from '../errors.js'

/** How many may be inside a gate, and how many may wait for it. */
export interface GateLimits {
  readonly maxRunning: number
  readonly maxRunningOfCaller: number
  /** Replies that may be on their way, and in memory. Any number unless given. */
  readonly maxSending?: number
  readonly maxSendingOfCaller?: number
  readonly maxWaiting: number
  readonly maxWaitingOfCaller: number
  /** A request that waits longer is refused. */
  readonly maxWaitMs: number
}

/** A request that has come through a gate. */
export interface GateVisit {
  /** The work is done, and its reply is being sent. */
  send(): void
  /** It has ended, in whatever way. Idempotent. */
  leave(): void
}

/** How many are where. */
export interface GateUsage {
  readonly running: number
  readonly sending: number
  readonly waiting: number
}

interface Waiter {
  readonly admit: () => void
  readonly refuse: (error: Error) => void
}

const RETRY_AFTER_SECONDS = 2

/** How many of each caller. */
class Tally {
  readonly #counts = new Map<string, number>()
  total = 0

  of(caller: string): number {
    return this.#counts.get(caller) ?? 0
  }

  add(caller: string, change: 1 | -1): void {
    this.total += change
    const count = this.of(caller) + change
    if (count > 0) this.#counts.set(caller, count)
    else this.#counts.delete(caller)
  }
}

/**
 * Bounds what runs at the same time. Requests that find it full wait, and their callers take turns.
 *
 * Callers are served one after the other, each with its oldest request, so a caller with many gets no more than its share.
 * When all places to wait are taken, a caller with fewer of them takes one from the caller with the most: one
 * address cannot fill the queue.
 */
export class WorkGate {
  readonly #running = new Tally()
  readonly #sending = new Tally()
  /** In the order in which callers are served. */
  readonly #queues = new Map<string, Waiter[]>()
  #waiting = 0

  constructor(private readonly limits: GateLimits) {}

  /**
   * Resolves when the caller may enter.
   *
   * @param waitMs How long it may wait, instead of the gate's own time.
   * @throws PlazaError `bad_request.rate_limited` if too many of this caller wait or the signal aborts, `unavailable` if too
   * many of all do or it took too long.
   */
  async enter(caller: string, signal?: AbortSignal, waitMs = this.limits.maxWaitMs): Promise<GateVisit> {
    // Those of this caller that wait came first.
    if (this.#hasRoom(caller) && !this.#queues.has(caller)) return this.#start(caller)
    return await this.#wait(caller, signal, waitMs)
  }

  /** How many work, send and wait, for metrics. */
  usage(): GateUsage {
    return { running: this.#running.total, sending: this.#sending.total, waiting: this.#waiting }
  }

  #isFull(): boolean {
    const { maxRunning, maxSending = Number.POSITIVE_INFINITY } = this.limits
    return this.#running.total >= maxRunning || this.#sending.total >= maxSending
  }

  #hasRoom(caller: string): boolean {
    const { maxRunningOfCaller, maxSendingOfCaller = Number.POSITIVE_INFINITY } = this.limits
    if (this.#isFull()) return false
    return this.#running.of(caller) < maxRunningOfCaller && this.#sending.of(caller) < maxSendingOfCaller
  }

  #start(caller: string): GateVisit {
    this.#running.add(caller, 1)
    let state: Tally | null = this.#running
    const moveTo = (next: Tally | null) => {
      if (state === null) return
      state.add(caller, -1)
      next?.add(caller, 1)
      state = next
      this.#admitNext()
    }
    return {
      send: () => {
        if (state === this.#running) moveTo(this.#sending)
      },
      leave: () => moveTo(null),
    }
  }

  #admitNext(): void {
    for (const [caller, queue] of this.#queues) {
      if (this.#isFull()) return
      if (!this.#hasRoom(caller)) continue
      const waiter = queue[0]!
      this.#remove(caller, waiter)
      // Behind the others.
      if (this.#queues.delete(caller)) this.#queues.set(caller, queue)
      waiter.admit()
    }
  }

  #remove(caller: string, waiter: Waiter): void {
    const queue = this.#queues.get(caller)
    const index = queue?.indexOf(waiter) ?? -1
    if (!queue || index < 0) return
    queue.splice(index, 1)
    this.#waiting -= 1
    if (queue.length === 0) this.#queues.delete(caller)
  }

  #add(caller: string, waiter: Waiter): void {
    const queue = this.#queues.get(caller)
    if (queue) queue.push(waiter)
    else this.#queues.set(caller, [waiter])
    this.#waiting += 1
  }

  /** @throws PlazaError when there is no place for one more of this caller. */
  #makeRoom(caller: string): void {
    const { maxWaiting, maxWaitingOfCaller } = this.limits
    const own = this.#queues.get(caller)?.length ?? 0
    if (own >= maxWaitingOfCaller) {
      throw new PlazaError('bad_request.rate_limited', `${own} heavy requests of this caller are waiting`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    if (this.#waiting < maxWaiting) return
    const byLength = [...this.#queues].sort(([, left], [, right]) => right.length - left.length)
    const [longest, queue] = byLength[0] ?? [caller, []]
    if (queue.length <= own + 1) throw busy()
    const last = queue.at(-1)!
    this.#remove(longest, last)
    last.refuse(busy())
  }

  #wait(caller: string, signal: AbortSignal | undefined, waitMs: number): Promise<GateVisit> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw gone()
      this.#makeRoom(caller)
      const timer = Number.isFinite(waitMs) ? setTimeout(() => giveUp(busy()), waitMs) : undefined
      const onAbort = () => giveUp(gone())
      const stopWaiting = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter = {
        admit: () => {
          stopWaiting()
          resolve(this.#start(caller))
        },
        refuse: (error) => {
          stopWaiting()
          reject(error)
        },
      }
      const giveUp = (error: Error) => {
        this.#remove(caller, waiter)
        waiter.refuse(error)
      }
      signal?.addEventListener('abort', onAbort)
      this.#add(caller, waiter)
    })
  }
}

function busy(): PlazaError {
  return new PlazaError('unavailable', 'too many heavy requests at once; try again soon', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}

/** The reply to a client that has gone: nobody reads it, and it is not logged as a failure of the server. */
function gone(): PlazaError {
  return new PlazaError('bad_request.rate_limited', 'the client left while it waited')
}
