import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../../platform/db/connection-errors.js'
import { AFTER_ALL_EVENTS, type EventFilter, type ShardRange } from './read.js'
import type { ReadStreamPage, StreamPage } from './single-flight-pages.js'
import type { EventTail, ReadPosition } from './tail.js'

/** Shortest time between reads at the end of the log: a busy hub then sends pages, not single events. */
const READ_INTERVAL_MS = 50
/** Wait before a repeated read while the database is unavailable. */
const RETRY_READ_MS = 1_000

/** The subscription of a stream. */
export interface Subscription {
  /** Ranges that remain to be read. */
  readonly ranges: readonly ShardRange[]
  readonly filter: EventFilter | null
}

/** The source of a stream. */
export interface LogReader<Sent> {
  readonly readPage: ReadStreamPage<Sent>
  readonly tail: EventTail
}

/**
 * Yields the pages of the log, stored ones and then new ones, until the signal aborts.
 *
 * It reads a page after the previous one was taken: a slow reader holds one page and delays no other. It
 * waits while the database is unavailable; nothing is lost.
 *
 * @throws PlazaError `not_found.event_dropped` if the next event was dropped; AbortError.
 */
export async function* followLog<Sent>(
  { readPage, tail }: LogReader<Sent>,
  { ranges, filter }: Subscription,
  signal: AbortSignal,
): AsyncGenerator<StreamPage<Sent>, void, void> {
  let remaining = ranges
  while (!signal.aborted) {
    const startedMs = performance.now()
    const page = await readWithRetry(() => readPage(remaining, filter), signal)
    yield page
    remaining = page.remaining
    if (!page.isEnd) continue
    await tail.wait(positionsOf(remaining), signal)
    await sleep(Math.max(0, startedMs + READ_INTERVAL_MS - performance.now()), null, { signal })
  }
}

async function readWithRetry<Page>(read: () => Promise<Page>, signal: AbortSignal): Promise<Page> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      await sleep(RETRY_READ_MS, null, { signal })
    }
  }
}

/** Returns the range of all events of a shard from an id on, future ones included. */
export function openEndedRange(shard: number, from: number): ShardRange {
  return { shard, from, stop: AFTER_ALL_EVENTS }
}

/** Returns the last read id of each range. */
export function positionsOf(ranges: readonly ShardRange[]): ReadPosition[] {
  return ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 }))
}
