import type { Database } from '../../platform/db/connection.js'
import { type Log, silentLog } from '../../platform/log/log.js'
import { eventChannel } from './write.js'

/** Up to where a reader has read a shard: it waits for an event with a higher id. */
export interface ReadPosition {
  readonly shard: number
  /** -1 before the first event. */
  readonly lastId: number
}

/** Wakes readers of the log when there is more to read. */
export interface EventTail {
  /**
   * Resolves when one of the shards has an event behind its position, or may have one; and, without any,
   * when the signal aborts or the tail closes. The reader then looks for itself.
   */
  wait(positions: readonly ReadPosition[], signal: AbortSignal): Promise<void>
  /** Wakes everybody and ends the connection that listens. */
  close(): Promise<void>
}

export interface EventTailOptions {
  /** How often the log is looked at while somebody waits, whatever was notified. */
  readonly pollMs?: number
  readonly log?: Log
  /** For LISTEN; the same as `db` unless told. */
  readonly listener?: Database
}

interface Waiter {
  readonly positions: readonly ReadPosition[]
  readonly wake: () => void
}

const POLL_MS = 1_000

/**
 * Follows the end of the log. Writers notify in the transaction that appends; a notification is a hint that
 * makes waiting short, and looking at the log every second is what makes it sure: it also covers writers
 * and connections that die.
 *
 * Waiting costs a reader one entry in a set and no statement. Nobody waiting costs no statement at all.
 */
export function createEventTail(db: Database, options: EventTailOptions = {}): EventTail {
  const { pollMs = POLL_MS, log = silentLog, listener = db } = options
  const ends = new Map<number, number>()
  const waiters = new Set<Waiter>()
  let closed = false

  function isBehind({ shard, lastId }: ReadPosition): boolean {
    return (ends.get(shard) ?? -1) > lastId
  }

  function moveEnd(shard: number, lastId: number): void {
    if (lastId <= (ends.get(shard) ?? -1)) return
    ends.set(shard, lastId)
    for (const waiter of waiters) {
      if (waiter.positions.some(isBehind)) waiter.wake()
    }
  }

  const listening = listen(listener, moveEnd, log)
  const polling = poll(db, pollMs, () => waiters.size > 0, moveEnd, log)

  return {
    async wait(positions, signal) {
      if (closed || signal.aborted || positions.some(isBehind)) return
      await new Promise<void>((resolve) => {
        const waiter = { positions, wake }
        function wake(): void {
          waiters.delete(waiter)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiters.add(waiter)
        signal.addEventListener('abort', wake)
      })
    },
    async close() {
      closed = true
      for (const waiter of waiters) waiter.wake()
      await Promise.all([listening.stop(), polling.stop()])
    },
  }
}

type MoveEnd = (shard: number, lastId: number) => void

interface Stoppable {
  stop(): Promise<void>
}

/** Listens on a connection of its own, which the driver opens again when it is lost. */
function listen(db: Database, moveEnd: MoveEnd, log: Log): Stoppable {
  const subscription = db
    .listen(eventChannel, (payload) => {
      const [shard, lastId] = payload.split(':').map(Number)
      if (Number.isSafeInteger(shard) && Number.isSafeInteger(lastId)) moveEnd(shard!, lastId!)
    })
    .catch((error: unknown) => {
      log.warn({ err: error }, 'not listening for new events: readers wait for the next look at the log')
      return null
    })
  return {
    async stop() {
      const meta = await subscription
      // The connection may be gone, and then there is nothing to take back.
      await meta?.unlisten().catch(() => {})
    },
  }
}

/** Looks at the end of every shard's log, as long as somebody waits for it. */
function poll(
  db: Database,
  pollMs: number,
  hasWaiters: () => boolean,
  moveEnd: MoveEnd,
  log: Log,
): Stoppable {
  let running: Promise<void> = Promise.resolve()
  let busy = false
  let isFailing = false

  async function pollOnce(): Promise<void> {
    try {
      const rows = await selectEnds(db)
      for (const { shard, lastId } of rows) moveEnd(shard, lastId)
      isFailing = false
    } catch (error) {
      // A database that is away says so once, not every second.
      if (!isFailing) log.warn({ err: error }, 'could not look at the end of the log')
      isFailing = true
    } finally {
      busy = false
    }
  }

  const timer = setInterval(() => {
    if (busy || !hasWaiters()) return
    busy = true
    running = pollOnce()
  }, pollMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

async function selectEnds(db: Database): Promise<{ shard: number; lastId: number }[]> {
  return await db<{ shard: number; lastId: number }[]>`
    select s.shard, last.id as "lastId"
    from hub.shards s
    cross join lateral (
      select e.id
      from hub.events e
      where e.shard = s.shard
      order by e.id desc
      limit 1
    ) last
  `
}
