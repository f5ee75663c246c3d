import { withHistories } from '../../../hub/log/follow.js'
import type { EventFilter, ShardRange } from '../../../hub/log/log-range.js'
import { LogResetError, readHistory } from '../../../hub/log/log-reset.js'
import { readEvents, readLogEnds, type StoredHubEvent } from '../../../hub/log/read.js'
import { formatPosition, positionsBefore } from '../../../hub/methods/http/stream-position.js'
import { enumValue, hubEventTypeNames } from '../../../hub/methods/json/enum-names.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { START } from '../live/event-topic.js'

/** Events of which some are of a page: a request reads no more of a log whose events a filter leaves out. */
const MAX_READ = 20_000
/** Events of a statement with a filter: a page of few events would take a statement for each few that it leaves out. */
const CHUNK = 1_000
const PAGE_BYTES = 8 * 1024 * 1024

/** Query of a list or a stream of events. */
export interface EventQuery {
  readonly types?: string | undefined
  readonly fid?: number | undefined
  readonly shard?: number | undefined
}

/** The filter of a query. @throws PlazaError for an unknown type. */
export function eventFilterOf({ types, fid }: EventQuery): EventFilter | null {
  if (types === undefined && fid === undefined) return null
  return { fids: fid === undefined ? null : [fid], types: types?.split(',').map(typeNumber) ?? null }
}

function typeNumber(name: string): number {
  const type = enumValue(hubEventTypeNames, `HUB_EVENT_TYPE_${name}`)
  if (type !== undefined) return type
  const problem = `types has ${name}, which is no type of events`
  throw new PlazaError('bad_request.invalid_param', problem, { property: 'types' })
}

/** The shards of a query: the one that it names, or all. @throws PlazaError for one that the hub does not have. */
export async function shardsOf(db: Database, { shard }: EventQuery): Promise<number[]> {
  const rows = await db<{ shard: number }[]>`select shard from hub.shards where shard > 0 order by shard`
  const shards = rows.map((row) => row.shard)
  if (shard === undefined) return shards
  if (shards.includes(shard)) return [shard]
  throw new PlazaError('bad_request.invalid_param', `there is no shard ${shard}`, { property: 'shard' })
}

/** The end of the log, as a position that a stream continues from. */
export async function readEndPosition(
  db: Database,
  shards: readonly number[],
): Promise<{ readonly ends: readonly ShardRange[]; readonly position: string }> {
  const found = await readLogEnds(db, shards)
  const ends = found.map(({ shard, lastId }) => ({ shard, from: 0, stop: lastId + 1 }))
  const history = { readHistory: (shard: number, lastId: number) => readHistory(db, shard, lastId) }
  const ranges = ends.map(({ shard, stop }) => ({ shard, from: stop, stop: Number.MAX_SAFE_INTEGER }))
  const known = await withHistories(history, ranges).catch((error: unknown) => {
    // The log went back at this moment: the stream finds out.
    if (error instanceof LogResetError) return ranges
    throw error
  })
  const position = formatPosition(positionsBefore(known)) ?? START
  return { ends, position }
}

/** Events below the ends of the ranges, newest first; and the ranges that remain, null at the beginning of the log. */
export async function readEventsBackwards(
  db: Database,
  ranges: readonly ShardRange[],
  { limit, filter }: { readonly limit: number; readonly filter: EventFilter | null },
): Promise<{ readonly events: readonly StoredHubEvent[]; readonly remaining: readonly ShardRange[] | null }> {
  const events: StoredHubEvent[] = []
  let remaining = ranges
  const chunk = filter === null ? limit : Math.max(limit, CHUNK)
  for (let read = 0; read < MAX_READ; read += chunk) {
    // Without their histories: below a block that was lost the log is as it was.
    const from = remaining.map(({ shard, stop }) => ({ shard, from: 0, stop }))
    const page = await readEvents(db, from, {
      limit: filter === null ? limit - events.length : chunk,
      reverse: true,
      filter,
      maxBytes: PAGE_BYTES,
    })
    const missing = limit - events.length
    events.push(...page.events.slice(0, missing))
    if (page.events.length > missing) return { events, remaining: below(remaining, events.at(-1)!) }
    if (page.next === null) return { events, remaining: null }
    remaining = page.remaining
    if (events.length >= limit) break
  }
  return { events, remaining }
}

/** Returns the parts of ranges behind an event, backwards by (id, shard). */
function below(ranges: readonly ShardRange[], last: StoredHubEvent): ShardRange[] {
  return ranges.map(({ shard, stop }) => ({
    shard,
    from: 0,
    stop: Math.min(stop, shard < last.shard ? last.id + 1 : last.id),
  }))
}
