import type { Database } from '../../platform/db/connection.js'
import {
  isBeyondLimits,
  isLockTimeout,
  isRetryable,
  isTemporary,
} from '../../platform/db/connection-errors.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import type { Tracing } from '../../platform/tracing/tracing.js'
import {
  type Consumer,
  type ConsumerCursor,
  consumeBatch,
  ensureCursors,
  restoreCursor,
} from './consumer-batch.js'
import { decodeHubEvent, MAX_BLOCK_EVENTS } from './hub-event.js'
import type { EventTail } from './tail.js'

export interface ConsumerOptions {
  /** Holds a connection for each shard while it handles a batch. */
  readonly db: Database
  readonly shards: number
  /** Wakes the consumer when new events are logged. */
  readonly tail: EventTail
  readonly log: Log
  readonly tracing?: Tracing
  /** Most events of one batch. */
  readonly batchSize?: number
  /** Whether this process has no time to spare: batches are then fewer and larger. */
  readonly isBusy?: () => boolean
  /** Called with the name of the consumer when it has passed over events that were dropped. */
  readonly onGap?: (consumer: string) => void
}

const BATCH_SIZE = 1_000

/** Wait while another process works on the shard. */
const BUSY_MS = 250

/** Shortest time between two looks for a cursor that seems locked: it may be gone. */
const RESTORE_CURSOR_MS = 5_000

/**
 * Shortest time between two batches at the end of the log. A block that comes later is handled at once; while blocks come
 * all the time, a batch has those of this time, and costs about as much as one of them alone.
 */
const BATCH_INTERVAL_MS = 50

/**
 * The same while the process is busy. Two consumers of two shards would take 60 batches a second beside 100 writes, each of
 * four round trips. With 150 ms, webhooks of 200 events/s took 303 ms (p99) on a slow day, where 250 are asked; with 100, 191.
 */
const BUSY_BATCH_INTERVAL_MS = 100

/** Wait after a failure, growing by half each time; `transient` while the database or a lock is unavailable. */
const RETRY_MS = { first: 100, last: 30_000, transient: 500 }

/**
 * Runs a consumer until it is stopped: one worker per shard in every process, one of which at a time handles
 * the shard.
 *
 * A failed batch is repeated, smaller each time until its first event is alone. An event that fails delays
 * later events of its shard and is never skipped. After a lost connection or a lock it is repeated as it was.
 *
 * @returns a function that stops it after the current batch, or when the handler reacts to the signal.
 */
export function startConsumer(consumer: Consumer, options: ConsumerOptions): () => Promise<void> {
  const stopping = new AbortController()
  const workers = Array.from({ length: options.shards }, (_, index) =>
    consumeShard(consumer, index + 1, options, stopping.signal),
  )
  return async () => {
    stopping.abort()
    await Promise.all(workers)
  }
}

async function consumeShard(
  consumer: Consumer,
  shard: number,
  { db, tail, log, tracing, batchSize = BATCH_SIZE, isBusy, onGap }: ConsumerOptions,
  signal: AbortSignal,
): Promise<void> {
  const logFields = { consumer: consumer.name, shard }
  let limit = batchSize
  let eventCount = 0
  let failures = 0
  let hasCursor = false
  let expected: ConsumerCursor | undefined
  let last: ConsumerCursor | undefined
  let restoredMs = performance.now()
  const counted: Consumer = {
    ...consumer,
    handle(transaction, events, handleSignal) {
      eventCount = events.length
      return consumer.handle(transaction, events, handleSignal)
    },
  }
  while (!signal.aborted) {
    try {
      // Only its own: a worker that starts late would create another's, after a fail-over lost it, at the newest event.
      if (!hasCursor) await ensureCursors(db, consumer, [shard])
      hasCursor = true
      eventCount = limit
      const outcome = await consumeBatch(db, counted, { shard, limit, signal, expected, tracing })
      const endedMs = performance.now()
      if (outcome.state !== 'busy' && outcome.gap) {
        log.error({ ...logFields, ...outcome.gap }, 'events were dropped before they were consumed')
        onGap?.(consumer.name)
      }
      if (outcome.state !== 'busy' && outcome.reset) tail.reportReset(consumer.name, outcome.reset)
      if (failures > 0) log.info({ ...logFields, failures }, 'consumer recovered')
      failures = 0
      limit = Math.min(batchSize, limit * 2)
      expected = outcome.state === 'busy' ? undefined : outcome.cursor
      last = expected ?? last
      if (outcome.state === 'busy') {
        await pause(BUSY_MS, signal)
        if (performance.now() - restoredMs < RESTORE_CURSOR_MS) continue
        restoredMs = performance.now()
        await restoreCursor(db, consumer, shard, last)
      }
      if (outcome.state === 'caughtUp') {
        await tail.wait([{ shard, lastId: outcome.cursor.next - 1 }], signal)
        const intervalMs = isBusy?.() ? BUSY_BATCH_INTERVAL_MS : BATCH_INTERVAL_MS
        const pauseMs = endedMs + intervalMs - performance.now()
        if (pauseMs > 0) await pause(pauseMs, signal)
      }
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      consumer.onFailure?.()
      const isTransient = isTemporary(error) || isLockTimeout(error)
      const mayBeTooLarge = isBeyondLimits(error) || !(isTransient || isRetryable(error))
      if (mayBeTooLarge) limit = Math.max(1, Math.floor(Math.min(limit, eventCount) / 2))
      const backoffMs = Math.min(RETRY_MS.last, Math.round(RETRY_MS.first * 1.5 ** (failures - 1)))
      const retryInMs = isTransient ? RETRY_MS.transient : backoffMs
      // An unavailable database is logged once.
      if (!isTransient || failures === 1) {
        log.error({ err: error, ...logFields, failures, limit, retryInMs }, 'consumer failed')
      }
      await pause(retryInMs, signal)
    }
  }
}

/** The lag of a consumer in the log of a shard. */
export interface ConsumerLag {
  readonly name: string
  readonly shard: number
  /** Blocks that are not consumed completely; 0 at the end of the log. */
  readonly blocks: number
  /** Farcaster seconds of the oldest of these that the log has; null if it has none. */
  readonly oldestBlockTime: number | null
}

/** Returns the lag of every consumer. Ids have gaps, so it counts blocks, not events. */
export async function readConsumerLag(db: Database): Promise<ConsumerLag[]> {
  const rows = await db<(Omit<ConsumerLag, 'oldestBlockTime'> & { confirmation: Buffer | null })[]>`
    select
      c.name, c.shard,
      (
        s.height - had.block
        + exists (
          select from hub.events e
          where e.shard = c.shard and e.id >= c.next_id and e.id < (had.block + 1) * ${MAX_BLOCK_EVENTS}
        )::integer
      )::bigint as blocks,
      (
        -- Each block begins with its confirmation, which is small.
        select confirmation.event
        from (
          select e.id from hub.events e where e.shard = c.shard and e.id >= c.next_id order by e.id limit 1
        ) oldest
        join hub.events confirmation
          on confirmation.shard = c.shard
            and confirmation.id = oldest.id / ${MAX_BLOCK_EVENTS}::bigint * ${MAX_BLOCK_EVENTS}::bigint
      ) as confirmation
    from hub.consumers c
    join hub.shards s using (shard)
    cross join lateral (select (c.next_id - 1) / ${MAX_BLOCK_EVENTS} as block) had
    order by c.name, c.shard
  `
  return rows.map(({ confirmation, ...lag }) => ({
    ...lag,
    oldestBlockTime: confirmation === null ? null : decodeHubEvent(confirmation).timestamp,
  }))
}
