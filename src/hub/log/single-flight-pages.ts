import type { Database } from '../../platform/db/connection.js'
import { type EventFilter, readEvents, type ShardRange, type StoredHubEvent } from './read.js'

/** A page of the log in the form that streams send. */
export interface StreamPage<Sent> {
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
 * Returns a page reader that shares concurrent reads of the same page.
 *
 * Streams at the end of the log wake at the same event: together they cost one statement and one encoding.
 *
 * @param encode Encodes an event for sending.
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
