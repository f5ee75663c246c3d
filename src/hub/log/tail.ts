import type { Database } from '../../platform/db/connection.js'
import { type Log, silentLog } from '../../platform/log/log.js'
import { eventChannel } from './write.js'

/** The last id that a reader has read of a shard; it waits for a higher one. */
export interface ReadPosition {
  readonly shard: number
  /** -1 before the first event. */
  readonly lastId: number
}

/** Wakes readers of the log when new events are logged. */
export type EventTail = ReturnType<typeof createEventTail>

export interface EventTailOptions {
  /** Interval of polls while a reader waits, independent of notifications. */
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
 * Follows the end of the log. Writers notify in the appending transaction. A notification is only a hint that
 * shortens the wait; polling every second covers writers and connections that die.
 *
 * A waiting reader costs one entry in a set and no statement. Without waiting readers nothing is polled.
 */
export function createEventTail(db: Database, options: EventTailOptions = {}) {
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

  const stopListening = listen(listener, moveEnd, log)
  const stopPolling = poll(db, pollMs, () => waiters.size > 0, moveEnd, log)

  return {
    /**
     * Resolves when a shard may have an event after its position, or the signal aborts, or the tail closes. The
     * reader then reads.
     */
    async wait(positions: readonly ReadPosition[], signal: AbortSignal): Promise<void> {
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
    /** Wakes all readers and closes the listening connection. */
    async close(): Promise<void> {
      closed = true
      for (const waiter of waiters) waiter.wake()
      await Promise.all([stopListening(), stopPolling()])
    },
  }
}

type MoveEnd = (shard: number, lastId: number) => void

/** Listens on a connection of its own, which the driver reconnects. */
function listen(db: Database, moveEnd: MoveEnd, log: Log): () => Promise<void> {
  const subscription = db
    .listen(eventChannel, (payload) => {
      const [shard, lastId] = payload.split(':').map(Number)
      if (Number.isSafeInteger(shard) && Number.isSafeInteger(lastId)) moveEnd(shard!, lastId!)
    })
    .catch((error: unknown) => {
      log.warn({ err: error }, 'cannot listen for new events: readers wait for the next poll')
      return null
    })
  return async () => {
    const meta = await subscription
    // If the connection is lost, there is nothing to unlisten.
    await meta?.unlisten().catch(() => {})
  }
}

/** Polls the end of all shards' logs while a reader waits. */
function poll(
  db: Database,
  pollMs: number,
  hasWaiters: () => boolean,
  moveEnd: MoveEnd,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let busy = false
  let isFailing = false

  async function pollOnce(): Promise<void> {
    try {
      const rows = await selectEnds(db)
      for (const { shard, lastId } of rows) moveEnd(shard, lastId)
      isFailing = false
    } catch (error) {
      // An unavailable database is logged once.
      if (!isFailing) log.warn({ err: error }, 'could not poll the end of the log')
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
  return async () => {
    clearInterval(timer)
    await running
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
