import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../../platform/db/connection-errors.js'
import { AFTER_ALL_EVENTS, type EventFilter, type ShardRange } from './read.js'
import type { ReadStreamPage, StreamPage } from './single-flight-pages.js'
import type { EventTail, ReadPosition } from './tail.js'

/** At the end of the log a reader reads at most this often, so that a busy hub sends pages, not events. */
const READ_INTERVAL_MS = 50
/** While the database is away, it is asked this often. */
const RETRY_READ_MS = 1_000

/** What a stream follows. */
export interface Subscription {
  /** What is still to be read. */
  readonly ranges: readonly ShardRange[]
  readonly filter: EventFilter | null
}

/** What is read with. */
export interface LogReader<Sent> {
  readonly readPage: ReadStreamPage<Sent>
  readonly tail: EventTail
}

/**
 * The pages of the log, first what is there, then what comes, until the signal aborts. The next page is only read when
 * the one before was taken: a slow reader holds one page and delays nobody. A database that is away is waited for, as
 * nothing is lost.
 *
 * @throws PlazaError `not_found.event_dropped` when the next event has left the log; AbortError.
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

/** All of a shard from this id on, also what is not written yet. */
export function openEndedRange(shard: number, from: number): ShardRange {
  return { shard, from, stop: AFTER_ALL_EVENTS }
}

/** A reader has read a shard up to the id before the first that is left. */
export function positionsOf(ranges: readonly ShardRange[]): ReadPosition[] {
  return ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 }))
}
