import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import { outgoingChannel } from '../../merge/outgoing.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { Upstreams } from '../client/upstreams.js'
import { type Answered, forgetRemoved, readOutgoing, settleOutgoing } from './outgoing-queue.js'
import type { CountPublished } from './publish-metrics.js'
import { RefusedMessageLog } from './refused-message-log.js'
import { type Round, sendRound } from './send-round.js'

export interface PublishLoopOptions {
  readonly db: Database
  readonly upstreams: Pick<Upstreams, 'current' | 'failOver'>
  /** Listens to a NOTIFY channel, as the driver's `db.listen` does. */
  readonly listen: (channel: string, onNotify: () => void) => Promise<{ unlisten(): Promise<void> }>
  readonly log: Log
  readonly count: CountPublished
  /** Milliseconds from any origin. */
  readonly clock: () => number
  readonly signal: AbortSignal
}

/** How often the queue is read beside notifications. */
const SWEEP_MS = 1_000
/** Wait between attempts, doubling from the first to the last. */
const RETRY_MS = { first: 100, last: 10_000 }
/** The same for a user whose message the upstream could not take. */
const USER_RETRY_MS = { first: 1_000, last: 60_000 }
/** With more waiting users than this, their waits are forgotten. */
const MAX_WAITING_USERS = 1_000

/**
 * Sends what clients published here to the upstream, until the signal. One process does, which holds the lock of the sync; two
 * at once would do no harm. A message leaves the queue when the upstream has answered: a process that dies sends it again, and
 * the upstream finds a duplicate.
 */
export async function publishLoop(options: PublishLoopOptions): Promise<void> {
  const { signal, log } = options
  const waker = createWaker(signal)
  const listener = await options.listen(outgoingChannel, waker.wake).catch((error: unknown) => {
    log.warn({ err: error }, 'cannot listen for outgoing messages: they wait for the next sweep')
    return null
  })
  const publisher = new Publisher(options)
  try {
    while (!signal.aborted) {
      const next = await publisher.sendNext()
      if (next.kind === 'more') continue
      if (next.kind === 'idle') await waker.wait(SWEEP_MS)
      else await pause(next.delayMs, signal)
    }
  } finally {
    await listener?.unlisten().catch(() => {})
  }
}

/** Next step after a round: the next one, at once, when something is published, or after a delay. */
type Next =
  | { readonly kind: 'more' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'retry'; readonly delayMs: number }

class Publisher {
  readonly #options: PublishLoopOptions
  readonly #refusedLog: RefusedMessageLog
  readonly #waitingQueues = new Map<number, { readonly untilMs: number; readonly delayMs: number }>()
  readonly #loggedKinds = new Set<string>()
  #failures = 0
  #delayMs = RETRY_MS.first

  constructor(options: PublishLoopOptions) {
    this.#options = options
    this.#refusedLog = new RefusedMessageLog(options.log, options.clock)
  }

  /** Sends one round. Failures of upstreams and of the database are logged once until a round succeeds. */
  async sendNext(): Promise<Next> {
    const { db, upstreams, signal } = this.#options
    const client = upstreams.current()
    try {
      const outgoing = await readOutgoing(db, this.#queuesThatWait())
      this.#refusedLog.flush()
      if (outgoing.length === 0) return { kind: 'idle' }
      const stored = await forgetRemoved(db, outgoing)
      if (stored.length === 0) return { kind: 'more' }
      const round = await sendRound(client, stored, signal)
      await settleOutgoing(db, round.answered)
      this.#report(round.answered)
      if (round.answered.length === 0) {
        const failures = [...round.postponed.values()]
        if (failures.length === 0) return { kind: 'idle' }
        // If the upstream limits these users alone, those behind them in the queue are next.
        const failure = failures.find(({ isUserLimit }) => !isUserLimit)
        if (failure !== undefined) {
          upstreams.failOver(client)
          // If it gives a reason, it may be unable to decide about these users alone, and their messages can fill a round: those
          // behind them are next.
          if (failures.every(({ errorCode }) => errorCode !== null)) this.#postpone(round, RETRY_MS.last)
          return this.#retryAfter(failure)
        }
      }
      this.#postpone(round)
      this.#resume()
      return { kind: 'more' }
    } catch (error) {
      return this.#retryAfter(error)
    }
  }

  #retryAfter(error: unknown): Next {
    const { log, signal } = this.#options
    if (signal.aborted) return { kind: 'idle' }
    this.#failures += 1
    const [kind, text] =
      error instanceof UpstreamFailure
        ? [error.kind, 'published messages wait for the upstream']
        : [`${error}`, 'sending published messages failed and is repeated']
    if (!this.#loggedKinds.has(kind)) log.warn({ err: error }, text)
    this.#loggedKinds.add(kind)
    const delayMs = this.#delayMs
    this.#delayMs = Math.min(RETRY_MS.last, delayMs * 2)
    return { kind: 'retry', delayMs }
  }

  #resume(): void {
    if (this.#failures > 0) this.#options.log.info({ failures: this.#failures }, 'publishing resumed')
    this.#failures = 0
    this.#delayMs = RETRY_MS.first
    this.#loggedKinds.clear()
  }

  /**
   * Queues whose next message failed wait by themselves, so that they hold up no other: while others go through, for a minute at most,
   * and else as long as between two attempts.
   */
  #postpone({ answered, postponed }: Round, longestMs = USER_RETRY_MS.last): void {
    const { log, clock } = this.#options
    for (const { outgoing } of answered) this.#waitingQueues.delete(outgoing.queue)
    const [first] = postponed
    // One line until none waits: a node may limit the rate of many users.
    if (first !== undefined && this.#waitingQueues.size === 0)
      log.warn({ err: first[1], fid: first[0] }, 'messages of a user wait for the upstream')
    if (this.#waitingQueues.size + postponed.size > MAX_WAITING_USERS) this.#waitingQueues.clear()
    for (const queue of postponed.keys()) {
      const { delayMs: last = USER_RETRY_MS.first / 2 } = this.#waitingQueues.get(queue) ?? {}
      const delayMs = Math.min(longestMs, last * 2)
      this.#waitingQueues.set(queue, { untilMs: clock() + delayMs, delayMs })
    }
  }

  #queuesThatWait(): number[] {
    const nowMs = this.#options.clock()
    return [...this.#waitingQueues].filter(([, { untilMs }]) => untilMs > nowMs).map(([queue]) => queue)
  }

  #report(answered: readonly Answered[]): void {
    const { count } = this.#options
    const counts = { sent: 0, duplicate: 0, conflict: 0, refused: 0 }
    for (const { outgoing, answer } of answered) {
      if (answer.kind === 'accepted') counts.sent += 1
      else if (answer.kind !== 'refused') counts[answer.kind] += 1
      // Offered again, it was told before.
      else if (!outgoing.wasRefused) {
        counts.refused += 1
        this.#refusedLog.add(outgoing.message, answer)
      }
    }
    for (const outcome of ['sent', 'duplicate', 'conflict', 'refused'] as const) {
      if (counts[outcome] > 0) count(outcome, counts[outcome])
    }
  }
}

/** Ends waits early, all of them after the signal. A wake while nothing waits ends the next wait. */
function createWaker(signal: AbortSignal) {
  let waiting = new AbortController()
  const wake = () => waiting.abort()
  signal.addEventListener('abort', wake, { once: true })
  return {
    wake,
    async wait(ms: number): Promise<void> {
      await pause(ms, waiting.signal)
      waiting = new AbortController()
    },
  }
}
