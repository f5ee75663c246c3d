import type { Database } from '../../../platform/db/connection.js'
import { nextTurn } from '../../../platform/process/turns.js'
import { type BlockRef, confirmedBlock, isSameBlock, withBlocks } from '../../log/block-history.js'
import { blockOf, eventId } from '../../log/hub-event.js'
import { MAX_PAGE_BYTES, type ShardRange } from '../../log/log-range.js'
import { readBlocks } from '../../log/log-reset.js'
import { type EventPage, readEvents } from '../../log/read.js'
import type { EncodedEventPage, ReadEncodedEvents } from '../hub-method.js'
import { transcodeHubEvents } from '../json/transcode.js'
import { EventCache } from './event-cache.js'

/**
 * The events of a slice in which a page is written. Other requests have their turn between two slices: 0.5 ms each, where
 * a page of 10,000 events in one go held all others up for 325 ms. A slice is below the 128 kB above which memory is
 * mapped anew for each: its page faults cost more than the copy. Few are of large events: 125 of compact states took as long.
 */
const SLICE_EVENTS = 125
const SLICE_BYTES = 128 * 1024

/** The events of a part in which a page is read: a part of 10,000 is unpacked in one go, which takes 20 ms. */
const PART_EVENTS = 1_000

/**
 * Creates the reader of pages as JSON. A part of one shard comes from the cache if that has all of it. Events do not
 * change, so it does not matter which database they were read from.
 */
export function createJsonPageReader(cache = new EventCache()): ReadEncodedEvents {
  return async (db, ranges, options) => {
    const { maxBytes = MAX_PAGE_BYTES } = options
    const slices: Buffer[] = []
    let remaining = ranges
    let count = 0
    let bytes = 0
    for (;;) {
      const limit = Math.min(PART_EVENTS, options.limit - count)
      const part = await readPart(cache, db, remaining, {
        ...options,
        limit,
        maxBytes: maxBytes - bytes,
      })
      slices.push(...part.events)
      remaining = part.remaining
      count += limit
      bytes += part.bytes
      const isFull = count >= options.limit || bytes >= maxBytes
      if (part.next === null || isFull) return { events: slices, next: part.next, remaining }
    }
  }
}

/** A part of a page, and what it adds to the size of the page. */
interface PagePart extends EncodedEventPage {
  readonly bytes: number
}

async function readPart(
  cache: EventCache,
  db: Database,
  ranges: readonly ShardRange[],
  options: Parameters<ReadEncodedEvents>[2],
): Promise<PagePart> {
  const range = ranges.length === 1 && !options.reverse ? ranges[0] : undefined
  const cached = range && (await readCachedPage(db, cache, range, options.limit))
  if (cached) return { ...cached, bytes: bytesOf(cached.events) }
  const page = await readEvents(db, ranges, options)
  const slices: Buffer[] = []
  const branch = range && new SliceBlocks(page)
  let from = range?.from ?? 0
  for (let start = 0, end = 0; start < page.events.length; start = end) {
    end = sliceEnd(page, start)
    const events = page.events.slice(start, end)
    if (events.length < page.events.length) await nextTurn()
    const { json, ends } = transcodeHubEvents(events)
    slices.push(json)
    if (!range) continue
    const ids = events.map(({ id }) => id)
    const block = branch?.blockOf(ids.at(-1)!)
    if (block !== undefined) cache.add(range.shard, { from, ids, ends, json, block })
    from = ids.at(-1)! + 1
  }
  return { ...page, events: slices, bytes: bytesOf(page.events.map(({ event }) => event)) }
}

/** Where the slice that begins at an event ends: it has one event at least. */
function sliceEnd({ events }: EventPage, start: number): number {
  const limit = Math.min(start + SLICE_EVENTS, events.length)
  let end = start + 1
  let bytes = events[start]!.event.length
  while (end < limit && bytes + events[end]!.event.length <= SLICE_BYTES) {
    bytes += events[end]!.event.length
    end += 1
  }
  return end
}

function bytesOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0)
}

/** The blocks of the events of a page. */
class SliceBlocks {
  readonly #blocks = new Map<number, BlockRef>()

  constructor(page: EventPage) {
    const [history = []] = page.remaining.map((range) => range.history)
    for (const block of history) this.#blocks.set(block.height, block)
    for (const { id, event } of page.confirmations) {
      const block = this.#blocks.has(blockOf(id)) ? null : confirmedBlock(event)
      if (block) this.#blocks.set(block.height, block)
    }
  }

  /** The block of an event; null in a log without confirmations, undefined if it is not known. */
  blockOf(id: number): BlockRef | null | undefined {
    return this.#blocks.size === 0 ? null : this.#blocks.get(blockOf(id))
  }
}

/** Null when a part of the page is not cached, is of a lost branch, or retention dropped it: the database decides. */
async function readCachedPage(
  db: Database,
  cache: EventCache,
  range: ShardRange,
  limit: number,
): Promise<EncodedEventPage | null> {
  // One more event than the page has shows whether there is another page.
  const cached = cache.get(range, limit)
  if (!cached) return null
  const { shard, history = [] } = range
  const end = blockOf(cached.lastId)
  const known = [...cached.blocks, ...history.slice(0, 1)]
  const ids = [...known.map(({ height }) => eventId(height, 0)), eventId(end, 0)]
  const { height, floor, blocks } = await readBlocks(db, shard, ids)
  if (cached.firstId < floor || (range.from > 0 && range.from < floor)) return null
  const isInLog = (block: BlockRef) => blocks.some((each) => isSameBlock(each, block))
  // A replica that lags has none of its newest blocks yet: that says nothing about the cache, which others fill.
  if (cached.blocks.some((block) => block.height <= height && !isInLog(block))) cache.clear(shard)
  if (!known.every(isInLog)) return null
  const remaining = withBlocks(
    history,
    blocks.filter(({ height }) => height === end),
  )
  return {
    events: cached.slices,
    next: cached.nextId === null ? null : { shard, id: cached.nextId },
    remaining: [
      { ...range, from: cached.lastId + 1, ...(remaining.length > 0 ? { history: remaining } : {}) },
    ],
  }
}
