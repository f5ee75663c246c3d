import type { Database } from '../../db/connection.js'
import { hubEventJson } from '../json/hub-event.js'
import { type EventFilter, readEvents, type ShardRange } from '../log/read.js'

/** A page of the log as streams send it. */
export interface SharedPage {
  readonly events: readonly SharedEvent[]
  readonly isEnd: boolean
  readonly rest: readonly ShardRange[]
}

/** An event as all readers get it. */
export interface SharedEvent {
  readonly shard: number
  readonly id: number
  /** The event's JSON. */
  readonly json: string
}

/** Small, since every slow reader holds one. */
const PAGE_EVENTS = 250
const PAGE_BYTES = 1024 * 1024

/**
 * Reads pages for streams. Those who ask for the same page while it is being read get the same one: streams
 * at the end of the log, all woken by the same event, cost one statement and one serialisation together.
 */
export function sharePages(
  db: Database,
): (ranges: readonly ShardRange[], filter: EventFilter | null) => Promise<SharedPage> {
  const reading = new Map<string, Promise<SharedPage>>()
  return (ranges, filter) => {
    const key = JSON.stringify([ranges, filter])
    const shared = reading.get(key)
    if (shared) return shared
    const page = readPage(db, ranges, filter).finally(() => reading.delete(key))
    reading.set(key, page)
    return page
  }
}

async function readPage(
  db: Database,
  ranges: readonly ShardRange[],
  filter: EventFilter | null,
): Promise<SharedPage> {
  const options = { limit: PAGE_EVENTS, maxBytes: PAGE_BYTES, reverse: false, filter }
  const page = await readEvents(db, ranges, options)
  return {
    events: page.events.map((event) => ({
      shard: event.shard,
      id: event.id,
      json: JSON.stringify(hubEventJson(event)),
    })),
    isEnd: page.next === null,
    rest: page.rest,
  }
}
