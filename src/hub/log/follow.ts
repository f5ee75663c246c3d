import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../platform/db/connection.js'
import { isUnavailable } from '../../platform/db/connection-errors.js'
import {
  AFTER_ALL_EVENTS,
  type EventFilter,
  readEvents,
  readLogEnds,
  type ShardRange,
  type StoredHubEvent,
} from './read.js'
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

/** Returns the open-ended ranges from an id on, or after the last event of each shard. */
export async function rangesFrom(
  db: Database,
  shards: readonly number[],
  from: number | null,
): Promise<ShardRange[]> {
  if (from !== null) return shards.map((shard) => openEndedRange(shard, from))
  return (await readLogEnds(db, shards)).map(({ shard, lastId }) => openEndedRange(shard, lastId + 1))
}

/** Returns the last read id of each range. */
export function positionsOf(ranges: readonly ShardRange[]): ReadPosition[] {
  return ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 }))
}

/** A page of the log in the form that streams send. */
interface StreamPage<Sent> {
  readonly events: readonly StreamEvent<Sent>[]
  readonly isEnd: boolean
  readonly remaining: readonly ShardRange[]
}

/** An event shared by all streams that read it. */
export interface StreamEvent<Sent> {
  readonly shard: number
  readonly id: number
  /** The encoded event. */
  readonly encoded: Sent
}

/** Reads the first page of some ranges. */
export type ReadStreamPage<Sent> = (
  ranges: readonly ShardRange[],
  filter: EventFilter | null,
) => Promise<StreamPage<Sent>>

/** Small pages: each slow reader holds one. */
const PAGE_EVENTS = 250
const PAGE_BYTES = 1024 * 1024

/**
 * Returns a page reader that shares concurrent reads of the same page. Streams at the end of the log wake at the
 * same event: together they cost one statement and one encoding.
 */
export function createSingleFlightPages<Sent>(
  db: Database,
  encode: (event: StoredHubEvent) => Sent,
): ReadStreamPage<Sent> {
  const inFlight = new Map<string, Promise<StreamPage<Sent>>>()

  async function readPage(
    ranges: readonly ShardRange[],
    filter: EventFilter | null,
  ): Promise<StreamPage<Sent>> {
    const options = { limit: PAGE_EVENTS, maxBytes: PAGE_BYTES, reverse: false, filter }
    const page = await readEvents(db, ranges, options)
    return {
      events: page.events.map((event) => ({ shard: event.shard, id: event.id, encoded: encode(event) })),
      isEnd: page.next === null,
      remaining: page.remaining,
    }
  }

  return (ranges, filter) => {
    const key = JSON.stringify([ranges, filter])
    const pending = inFlight.get(key)
    if (pending) return pending
    const page = readPage(ranges, filter).finally(() => inFlight.delete(key))
    inFlight.set(key, page)
    return page
  }
}
