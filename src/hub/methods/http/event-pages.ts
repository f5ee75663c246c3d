import type { Database } from '../../../platform/db/connection.js'
import { type EventPage, readEvents, readRetentionFloor, type ShardRange } from '../../log/read.js'
import type { EncodedEventPage, ReadEncodedEvents } from '../hub-method.js'
import { hubEventJson } from '../json/hub-event.js'
import { EventCache } from './event-cache.js'

/**
 * Creates the reader of pages of the log as JSON. A page of one shard comes from the cache when it is there
 * whole; every other is read from the database.
 */
export function createJsonPageReader(db: Database, cache = new EventCache()): ReadEncodedEvents {
  return async (ranges, options) => {
    const [range] = ranges
    const { limit, reverse } = options
    if (range === undefined || ranges.length > 1 || reverse) return await readPage(db, ranges, options)
    return (await readCachedPage(db, cache, range, limit)) ?? (await readAndCache(db, cache, range, limit))
  }
}

/** Null when a part of the page is not cached, or retention has dropped it: then the database decides. */
async function readCachedPage(
  db: Database,
  cache: EventCache,
  range: ShardRange,
  limit: number,
): Promise<EncodedEventPage | null> {
  // One more event than the page has shows whether there is another page.
  const cached = cache.get(range, limit + 1)
  const first = cached?.[0]
  if (!cached || !first) return null
  const floor = await readRetentionFloor(db, range.shard)
  if (first.id < floor || (range.from > 0 && range.from < floor)) return null
  const events = cached.slice(0, limit)
  const next = cached[limit]
  return {
    events: events.map((event) => event.json),
    next: next ? { shard: range.shard, id: next.id } : null,
    remaining: [{ ...range, from: events.at(-1)!.id + 1 }],
  }
}

async function readAndCache(
  db: Database,
  cache: EventCache,
  range: ShardRange,
  limit: number,
): Promise<EncodedEventPage> {
  const { events, next, remaining } = await readEvents(db, [range], { limit, reverse: false })
  const cachedEvents = events.map((event) => ({ id: event.id, json: jsonBytes(event) }))
  cache.add(range.shard, range.from, cachedEvents)
  return { events: cachedEvents.map((event) => event.json), next, remaining }
}

async function readPage(
  db: Database,
  ranges: readonly ShardRange[],
  options: { readonly limit: number; readonly reverse: boolean },
): Promise<EncodedEventPage> {
  const page = await readEvents(db, ranges, options)
  return { ...page, events: page.events.map(jsonBytes) }
}

function jsonBytes(event: EventPage['events'][number]): Buffer {
  return Buffer.from(JSON.stringify(hubEventJson(event)))
}
