import { promisify } from 'node:util'
import type { Database } from '../../../platform/db/connection.js'
import { readEvents, readRetentionFloor, type ShardRange } from '../../log/read.js'
import type { EncodedEventPage, ReadEncodedEvents } from '../hub-method.js'
import { transcodeHubEvents } from '../json/transcode.js'
import { EventCache } from './event-cache.js'

/**
 * A page is written in slices of so many events, and other requests have their turn between two: 0.5 ms each, where
 * a page of 10,000 events in one go held all others up for 325 ms. A slice is below the 128 kB above which memory is
 * mapped anew for each: its page faults cost more than the copy.
 */
const SLICE_EVENTS = 125

const nextTurn = promisify(setImmediate)

/**
 * Creates the reader of pages as JSON. A page of one shard comes from the cache if that has all of it. Events do not
 * change, so it does not matter which database they were read from.
 */
export function createJsonPageReader(cache = new EventCache()): ReadEncodedEvents {
  return async (db, ranges, options) => {
    const range = ranges.length === 1 && !options.reverse ? ranges[0] : undefined
    const cached = range && (await readCachedPage(db, cache, range, options.limit))
    if (cached) return cached
    const page = await readEvents(db, ranges, options)
    const slices: Buffer[] = []
    let from = range?.from ?? 0
    for (let start = 0; start < page.events.length; start += SLICE_EVENTS) {
      if (start > 0) await nextTurn()
      const events = page.events.slice(start, start + SLICE_EVENTS)
      const { json, ends } = transcodeHubEvents(events)
      slices.push(json)
      if (!range) continue
      const ids = events.map(({ id }) => id)
      cache.add(range.shard, { from, ids, ends, json })
      from = ids.at(-1)! + 1
    }
    return { ...page, events: slices }
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
  const cached = cache.get(range, limit)
  if (!cached) return null
  const floor = await readRetentionFloor(db, range.shard)
  if (cached.firstId < floor || (range.from > 0 && range.from < floor)) return null
  return {
    events: cached.slices,
    next: cached.nextId === null ? null : { shard: range.shard, id: cached.nextId },
    remaining: [{ ...range, from: cached.lastId + 1 }],
  }
}
