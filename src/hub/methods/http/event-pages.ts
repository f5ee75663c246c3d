import type { Database } from '../../../platform/db/connection.js'
import { type EventPage, readEvents, readFloor, type ShardRange } from '../../log/read.js'
import { hubEventJson } from '../json/hub-event.js'
import { EventMemory } from './event-memory.js'

/** A page of the log with its events as JSON. */
export interface JsonPage extends Pick<EventPage, 'next' | 'rest'> {
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
export function jsonPages(db: Database, memory = new EventMemory()): ReadJsonPage {
  return async (ranges, options) => {
    const [range] = ranges
    const { limit, reverse } = options
    if (range === undefined || ranges.length > 1 || reverse) return await readPage(db, ranges, options)
    return (await recallPage(db, memory, range, limit)) ?? (await readAndRemember(db, memory, range, limit))
  }
}

/** Null when the page is not remembered, or retention has dropped a part of it: the database knows more. */
async function recallPage(
  db: Database,
  memory: EventMemory,
  range: ShardRange,
  limit: number,
): Promise<JsonPage | null> {
  // One more than asked for shows whether there is more.
  const recalled = memory.recall(range, limit + 1)
  const first = recalled?.[0]
  if (!recalled || !first) return null
  const floor = await readFloor(db, range.shard)
  if (first.id < floor || (range.from > 0 && range.from < floor)) return null
  const events = recalled.slice(0, limit)
  const next = recalled[limit]
  return {
    events: events.map((event) => event.json),
    next: next ? { shard: range.shard, id: next.id } : null,
    rest: [{ ...range, from: events.at(-1)!.id + 1 }],
  }
}

async function readAndRemember(
  db: Database,
  memory: EventMemory,
  range: ShardRange,
  limit: number,
): Promise<JsonPage> {
  const { events, next, rest } = await readEvents(db, [range], { limit, reverse: false })
  const ready = events.map((event) => ({ id: event.id, json: jsonBytes(event) }))
  memory.remember(range.shard, range.from, ready)
  return { events: ready.map((event) => event.json), next, rest }
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
