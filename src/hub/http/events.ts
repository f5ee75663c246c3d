import { PlazaError } from '../../errors.js'
import { hubEventJson } from '../json/hub-event.js'
import { AFTER_ALL_EVENTS, type EventPage, readEvent, readEvents } from '../log/read.js'
import { applyEventToken, eventToken } from './event-token.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { type Parameters, refusal, required } from './parameters.js'

export const eventOperations: readonly GetOperation[] = [
  { path: '/events', failure: 'Failed to get events', answer: listEvents },
  { path: '/eventById', failure: 'Failed to get event', answer: getEvent },
]

/**
 * A page of the log. Where the sources differ, the issue decides: shards are merged by id, the page size
 * holds for the whole page, and the answer says how to go on.
 */
async function listEvents(parameters: Parameters, { db, config }: HubApi): Promise<object> {
  const { reverse } = parameters
  const from = parameters.u64('from_event_id') ?? 0
  const stop = parameters.u64('stop_id') ?? AFTER_ALL_EVENTS
  const shards = shardsAskedFor(parameters, config.shards)
  const ranges = applyEventToken(
    parameters,
    shards.map((shard) => ({ shard, from, stop })),
    reverse,
  )
  const page = await readEvents(db, ranges, { limit: parameters.pageSize(), reverse })
  return {
    events: page.events.map(hubEventJson),
    nextPageToken: eventToken(page, reverse),
    nextPageEventId: nextPageEventId(page, from, reverse),
  }
}

/**
 * What older clients feed back: forward as `from_event_id`, in reverse as `stop_id`. It is the first event
 * that was not shown; at the end, what the next event of a shard will have at least.
 *
 * One number for several shards cannot say how far each was read: events may be shown again, and none is
 * lost. `nextPageToken`, or asking for one shard at a time, repeats nothing.
 */
function nextPageEventId(page: EventPage, from: number, reverse: boolean): number {
  if (reverse) return page.next === null ? from : page.next.id + 1
  return page.next?.id ?? Math.min(...page.rest.map((range) => range.from))
}

/** The shard that is asked for, or all of them. */
export function shardsAskedFor(parameters: Parameters, shards: number): number[] {
  const shard = parameters.u32('shard_index')
  if (shard === null) return Array.from({ length: shards }, (_, index) => index + 1)
  return [hosted(shard, shards)]
}

function hosted(shard: number, shards: number): number {
  if (shard < 1 || shard > shards) throw refusal('shard_index', `${shard}: Shard not found`)
  return shard
}

async function getEvent(parameters: Parameters, { db, config }: HubApi): Promise<object> {
  const id = parameters.u64('event_id') ?? required('event_id')
  // Where there is one shard only, there is nothing to choose.
  const shard = parameters.u32('shard_index') ?? (config.shards === 1 ? 1 : required('shard_index'))
  const event = await readEvent(db, hosted(shard, config.shards), id)
  if (!event) throw new PlazaError('not_found', 'Event not found')
  return hubEventJson(event)
}
