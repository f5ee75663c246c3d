import type { Database } from '../../../platform/db/connection.js'
import { type EventPage, readEvents, readRetentionFloor, type ShardRange } from '../../log/read.js'
import { hubEventJson } from '../json/hub-event.js'
import { EventCache } from './event-cache.js'

/** A page of the log with its events as JSON. */
export interface JsonPage extends Pick<EventPage, 'next' | 'remaining'> {
  readonly events: readonly Buffer[]
}

/** Reads one page of these ranges of the log. */
export type ReadJsonPage = (
  ranges: readonly ShardRange[],
  options: { readonly limit: number; readonly reverse: boolean },
) => Promise<JsonPage>

/**
 * Reads pages of the log as JSON. A page of one shard that is remembered whole comes from memory, every other
 * from the database.
 */
export function createJsonPageReader(db: Database, cache = new EventCache()): ReadJsonPage {
  return async (ranges, options) => {
    const [range] = ranges
    const { limit, reverse } = options
    if (range === undefined || ranges.length > 1 || reverse) return await readPage(db, ranges, options)
    return (await readCachedPage(db, cache, range, limit)) ?? (await readAndCache(db, cache, range, limit))
  }
}

/** Null when the page is not remembered, or retention has dropped a part of it: the database knows more. */
async function readCachedPage(
  db: Database,
  cache: EventCache,
  range: ShardRange,
  limit: number,
): Promise<JsonPage | null> {
  // One more than asked for shows whether there is more.
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
): Promise<JsonPage> {
  const { events, next, remaining } = await readEvents(db, [range], { limit, reverse: false })
  const cachedEvents = events.map((event) => ({ id: event.id, json: jsonBytes(event) }))
  cache.add(range.shard, range.from, cachedEvents)
  return { events: cachedEvents.map((event) => event.json), next, remaining }
}

async function readPage(
  db: Database,
  ranges: readonly ShardRange[],
  options: { readonly limit: number; readonly reverse: boolean },
): Promise<JsonPage> {
  const page = await readEvents(db, ranges, options)
  return { ...page, events: page.events.map(jsonBytes) }
}

function jsonBytes(event: EventPage['events'][number]): Buffer {
  return Buffer.from(JSON.stringify(hubEventJson(event)))
}
