import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { eventToken, rangesAfter } from '../../log/event-token.js'
import { AFTER_ALL_EVENTS, readEvent, type ShardRange } from '../../log/read.js'
import { hubEventJson } from '../json/hub-event.js'
import { createJsonPageReader, type JsonPage, type ReadJsonPage } from './event-pages.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { type Parameters, refusal, required } from './parameters.js'

/** One set per server: it remembers events that were read lately. */
export function eventOperations(db: Database): GetOperation[] {
  const readPage = createJsonPageReader(db)
  return [
    {
      path: '/events',
      failure: 'Failed to get events',
      answer: (parameters, api) => listEvents(parameters, api, readPage),
    },
    { path: '/eventById', failure: 'Failed to get event', answer: getEvent },
  ]
}

/**
 * A page of the log. Where the sources differ, the issue decides: shards are merged by id, the page size
 * holds for the whole page, and the answer says how to go on.
 */
async function listEvents(
  parameters: Parameters,
  { config }: HubApi,
  readPage: ReadJsonPage,
): Promise<Buffer> {
  const { reverse } = parameters
  const from = parameters.u64('from_event_id') ?? 0
  const stop = parameters.u64('stop_id') ?? AFTER_ALL_EVENTS
  const shards = requestedShards(parameters, config.shards)
  const ranges = requestedRanges(
    parameters,
    shards.map((shard) => ({ shard, from, stop })),
    reverse,
  )
  const page = await readPage(ranges, { limit: parameters.pageSize(), reverse })
  return pageBytes(page.events, {
    nextPageToken: eventToken(page, reverse)?.toString('base64'),
    nextPageEventId: nextPageEventId(page, from, reverse),
  })
}

function requestedRanges(
  parameters: Parameters,
  all: readonly ShardRange[],
  reverse: boolean,
): readonly ShardRange[] {
  const token = parameters.pageToken()
  if (!token) return all
  const remaining = rangesAfter(token.bytes, all, reverse)
  if (typeof remaining === 'string') throw refusal(token.name, remaining)
  return remaining
}

const OPENING = Buffer.from('{"events":[')
const COMMA = Buffer.from(',')

/** The events, which are JSON already, and behind them the other members of the object. */
function pageBytes(events: readonly Buffer[], others: object): Buffer {
  const parts: Buffer[] = [OPENING]
  for (const event of events) parts.push(event, COMMA)
  if (events.length > 0) parts.pop()
  parts.push(Buffer.from(`],${JSON.stringify(others).slice(1)}`))
  return Buffer.concat(parts)
}

/**
 * What older clients feed back: forward as `from_event_id`, in reverse as `stop_id`. It is the first event
 * that was not shown; at the end, what the next event of a shard will have at least.
 *
 * One number for several shards cannot say how far each was read: events may be shown again, and none is
 * lost. `nextPageToken`, or asking for one shard at a time, repeats nothing.
 */
function nextPageEventId(page: JsonPage, from: number, reverse: boolean): number {
  if (reverse) return page.next === null ? from : page.next.id + 1
  return page.next?.id ?? Math.min(...page.remaining.map((range) => range.from))
}

/** The shard that is asked for, or all of them. */
export function requestedShards(parameters: Parameters, shards: number): number[] {
  const shard = parameters.u32('shard_index')
  if (shard === null) return Array.from({ length: shards }, (_, index) => index + 1)
  return [requireShard(shard, shards)]
}

function requireShard(shard: number, shards: number): number {
  if (shard < 1 || shard > shards) throw refusal('shard_index', `${shard}: Shard not found`)
  return shard
}

async function getEvent(parameters: Parameters, { db, config }: HubApi): Promise<object> {
  const id = parameters.u64('event_id') ?? required('event_id')
  // Where there is one shard only, there is nothing to choose.
  const shard = parameters.u32('shard_index') ?? (config.shards === 1 ? 1 : required('shard_index'))
  const event = await readEvent(db, requireShard(shard, config.shards), id)
  if (!event) throw new PlazaError('not_found', 'Event not found')
  return hubEventJson(event)
}
