import type { Database } from '../../platform/db/connection.js'
import { type EventFilter, readEvents, type ShardRange, type StoredHubEvent } from './read.js'

/** A page of the log as streams send it. */
export interface SharedPage<Sent> {
  readonly events: readonly SharedEvent<Sent>[]
  readonly isEnd: boolean
  readonly rest: readonly ShardRange[]
}

/** An event as all readers get it. */
export interface SharedEvent<Sent> {
  readonly shard: number
  readonly id: number
  /** The event in the form that is sent. */
  readonly sent: Sent
}

/** Reads the first page of these ranges. */
export type ReadSharedPage<Sent> = (
  ranges: readonly ShardRange[],
  filter: EventFilter | null,
) => Promise<SharedPage<Sent>>

/** Small, since every slow reader holds one. */
const PAGE_EVENTS = 250
const PAGE_BYTES = 1024 * 1024

/**
 * Reads pages for streams. Those who ask for the same page while it is being read get the same one: streams
 * at the end of the log, all woken by the same event, cost one statement and one serialisation together.
 *
 * @param form What an event looks like when it is sent.
 */
export function sharePages<Sent>(db: Database, form: (event: StoredHubEvent) => Sent): ReadSharedPage<Sent> {
  const reading = new Map<string, Promise<SharedPage<Sent>>>()

  async function readPage(
    ranges: readonly ShardRange[],
    filter: EventFilter | null,
  ): Promise<SharedPage<Sent>> {
    const options = { limit: PAGE_EVENTS, maxBytes: PAGE_BYTES, reverse: false, filter }
    const page = await readEvents(db, ranges, options)
    return {
      events: page.events.map((event) => ({ shard: event.shard, id: event.id, sent: form(event) })),
      isEnd: page.next === null,
      rest: page.rest,
    }
  }

  return (ranges, filter) => {
    const key = JSON.stringify([ranges, filter])
    const shared = reading.get(key)
    if (shared) return shared
    const page = readPage(ranges, filter).finally(() => reading.delete(key))
    reading.set(key, page)
    return page
  }
}
