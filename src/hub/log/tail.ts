import type { Database } from '../../platform/db/connection.js'
import { reportFirstFailure } from '../../platform/log/first-failure.js'
import { type Log, silentLog } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import type { BlockHistory, BlockRef } from './block-history.js'
import { blockOf } from './hub-event.js'
import { isInLog, type LogReset, readHistory } from './log-reset.js'
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
  /** Counts readers whose position in the log was lost. */
  readonly onReset?: (reader: string) => void
  /** For LISTEN; `db` by default. */
  readonly listener?: Database
}

interface Waiter {
  readonly positions: readonly ReadPosition[]
  readonly wake: () => void
}

const POLL_MS = 1_000
/** Wait before it is tried again to listen. */
const RETRY_LISTEN_MS = 1_000

/**
 * Counts a reader whose position in the log was lost, and logs it: of many streams at one place only the first. A client may
 * name any position, so what it has lost may never have been there: a warning.
 */
type ReportReset = (reader: string, reset: LogReset, owner?: 'client' | 'server') => void

function createResetReport(log: Log, onReset: EventTailOptions['onReset']): ReportReset {
  const reported = new Map<string, number>()
  return (reader, { shard, lastId, nextId }, owner = 'server') => {
    onReset?.(reader)
    const key = `${reader}/${shard}`
    if (reported.get(key) === nextId) return
    reported.set(key, nextId)
    const level = owner === 'client' ? 'warn' : 'error'
    log[level]({ reader, shard, lastId, nextId }, 'the log went back: the reader continues at the fork')
  }
}

/**
 * Follows the end of the log. Writers notify in the appending transaction. A notification is only a hint that
 * shortens the wait; polling every second covers writers and connections that die. A poll also finds a log that went
 * back, and wakes the readers that are ahead of it: they read, and learn where to continue.
 *
 * A waiting reader costs one entry in a set and no statement. Without waiting readers nothing is polled.
 *
 * @param db The primary: on a replica that lags, the log would seem to go back.
 */
export function createEventTail(db: Database, options: EventTailOptions = {}) {
  const { pollMs = POLL_MS, log = silentLog, listener = db, onReset } = options
  const ends = new LogEnds()
  const waiters = new Set<Waiter>()
  let hasReaders = false
  let closed = false

  function wakeIf(isDue: (position: ReadPosition) => boolean): void {
    for (const waiter of waiters) if (waiter.positions.some(isDue)) waiter.wake()
  }

  function moveEnd(shard: number, lastId: number): void {
    if (ends.raise(shard, lastId)) wakeIf((position) => ends.isBehind(position))
  }

  async function pollEnds(): Promise<void> {
    hasReaders = false
    const apply = ends.beginPoll()
    const isLost = apply(await selectEnds(db))
    wakeIf((position) => ends.isBehind(position) || isLost(position))
  }

  const stopListening = listen(listener, moveEnd, log)
  const stopPolling = poll(pollEnds, pollMs, () => hasReaders || waiters.size > 0, log)

  return {
    /**
     * Resolves when a shard may have an event after its position or may have lost that position, or the signal
     * aborts, or the tail closes. The reader then reads.
     */
    async wait(positions: readonly ReadPosition[], signal: AbortSignal): Promise<void> {
      hasReaders = true
      if (closed || signal.aborted || positions.some((position) => ends.isBehind(position))) return
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
    /** Whether the primary has a block that a reader did not find: it read from a replica that lags. */
    async hasBlock(shard: number, block: BlockRef): Promise<boolean> {
      return await isInLog(db, shard, block)
    },
    /** Reads the block of an id and its ancestors. @throws LogResetError if the log ends before it. */
    async readHistory(shard: number, lastId: number): Promise<BlockHistory> {
      return await readHistory(db, shard, lastId)
    },
    reportReset: createResetReport(log, onReset),
    /** Wakes all readers and closes the listening connection. */
    async close(): Promise<void> {
      closed = true
      for (const waiter of waiters) waiter.wake()
      await Promise.all([stopListening(), stopPolling()])
    },
  }
}

/** The end of a shard's log as polls compare it. `LogEnd` of `read.ts` is where a reader begins, which also counts dropped events. */
interface PolledEnd {
  readonly shard: number
  /** The last kept event; -1 if none is kept: no reader waits for what was dropped. */
  readonly lastId: number
  /** The last block. */
  readonly height: number
  /** The whole hash of the last block in hex: polls compare it with nothing but that of another poll. */
  readonly hash: string
}

/** The ends of the shards' logs as they are known. */
class LogEnds {
  readonly #lastIds = new Map<number, number>()
  readonly #blocks = new Map<number, Pick<PolledEnd, 'height' | 'hash'>>()
  /** Shards that a notification has moved since the poll began: it may not know of that. */
  readonly #raised = new Set<number>()

  isBehind({ shard, lastId }: ReadPosition): boolean {
    return (this.#lastIds.get(shard) ?? -1) > lastId
  }

  /** Notes a notification. Returns whether it is news. */
  raise(shard: number, lastId: number): boolean {
    if (lastId <= (this.#lastIds.get(shard) ?? -1)) return false
    this.#lastIds.set(shard, lastId)
    this.#raised.add(shard)
    return true
  }

  /** Begins a poll. The returned function takes its result, and returns which positions the log may have lost. */
  beginPoll(): (polled: readonly PolledEnd[]) => (position: ReadPosition) => boolean {
    this.#raised.clear()
    return (polled) => {
      const heights = new Map<number, number>()
      for (const { shard, lastId, height, hash } of polled) {
        const before = this.#blocks.get(shard)
        this.#blocks.set(shard, { height, hash })
        const isOther =
          before && (height < before.height || (height === before.height && hash !== before.hash))
        heights.set(shard, isOther ? -1 : height)
        if (!this.#raised.has(shard) || lastId > (this.#lastIds.get(shard) ?? -1)) {
          this.#lastIds.set(shard, lastId)
        }
      }
      return ({ shard, lastId }) => blockOf(lastId) > (heights.get(shard) ?? Number.POSITIVE_INFINITY)
    }
  }
}

type MoveEnd = (shard: number, lastId: number) => void

/** Listens on a connection of its own, which the driver reconnects once it has listened. */
function listen(db: Database, moveEnd: MoveEnd, log: Log): () => Promise<void> {
  const stopping = new AbortController()
  let subscription: { unlisten(): Promise<void> } | null = null
  const subscribe = reportFirstFailure(
    async () => {
      subscription = await db.listen(eventChannel, (payload) => {
        const [shard, lastId] = payload.split(':').map(Number)
        if (Number.isSafeInteger(shard) && Number.isSafeInteger(lastId)) moveEnd(shard!, lastId!)
      })
    },
    (error) => log.warn({ err: error }, 'cannot listen for new events: readers wait for the next poll'),
  )

  async function subscribeWithRetries(): Promise<void> {
    while (!stopping.signal.aborted) {
      await subscribe()
      if (subscription !== null) return
      await pause(RETRY_LISTEN_MS, stopping.signal)
    }
  }

  const subscribing = subscribeWithRetries()
  return async () => {
    stopping.abort()
    await subscribing
    // If the connection is lost, there is nothing to unlisten.
    await subscription?.unlisten().catch(() => {})
  }
}

/** Polls the end of all shards' logs while somebody reads. */
function poll(
  pollEnds: () => Promise<void>,
  pollMs: number,
  hasReaders: () => boolean,
  log: Log,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let busy = false
  const poll = reportFirstFailure(pollEnds, (error) =>
    log.warn({ err: error }, 'could not poll the end of the log'),
  )

  const timer = setInterval(() => {
    if (busy || !hasReaders()) return
    busy = true
    running = poll().finally(() => {
      busy = false
    })
  }, pollMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

async function selectEnds(db: Database): Promise<PolledEnd[]> {
  return await db<PolledEnd[]>`
    select s.shard, coalesce(last.id, -1) as "lastId", s.height, encode(s.block_hash, 'hex') as hash
    from hub.shards s
    left join lateral (
      select e.id
      from hub.events e
      where e.shard = s.shard
      order by e.id desc
      limit 1
    ) last on true
  `
}
