import {
  createSingleFlightPages,
  followLog,
  type LogSubscription,
  openEndedRange,
  type ReadStreamPage,
  rangesFrom,
  type StreamEvent,
  withHistories,
} from '../../../hub/log/follow.js'
import type { EventFilter, ShardRange } from '../../../hub/log/log-range.js'
import { LogResetError } from '../../../hub/log/log-reset.js'
import type { EventTail } from '../../../hub/log/tail.js'
import {
  formatPosition,
  parsePosition,
  positionAfter,
  positionsBefore,
  type StreamPosition,
} from '../../../hub/methods/http/stream-position.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { loggedEventJson } from '../events/logged-event.js'

/** A reader that is further behind gets a gap: 10,000 events, as much as the page shows. */
const MAX_BACKLOG_PAGES = 40

/** The source of the topic `events`, for all streams of a process. */
export interface EventTopic {
  readonly db: Database
  readonly tail: EventTail
  readonly readPage: ReadStreamPage<string>
}

/** Opens the source: streams at the same position share a statement. */
export function createEventTopic(db: Database, tail: EventTail): EventTopic {
  const encode = createSingleFlightPages(db, (events) =>
    events.map((event) => JSON.stringify(loggedEventJson(event))),
  )
  return { db, tail, readPage: encode }
}

/** Part of the log that a stream reads. */
export interface EventRequest {
  readonly shards: readonly number[]
  readonly filter: EventFilter | null
  /** The position behind which it begins; null: at the end. */
  readonly after: string | null
}

/** @throws PlazaError when the position of a request is none of its shards. */
export function checkPosition({ after, shards }: EventRequest): void {
  if (after !== null && after !== START) parsePosition(after, shards)
}

/**
 * Sends events of the log to one stream until the signal aborts, each with the position behind it. A `gap` has the position
 * of the end of the log: what is before was dropped, or is more than a page should take, or the log went back.
 */
export async function sendEvents(
  topic: EventTopic,
  request: EventRequest,
  send: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let ranges = await startOf(topic, request)
  while (!signal.aborted) {
    if (ranges !== null) await follow(topic, { ranges, filter: request.filter }, send, signal)
    if (signal.aborted) return
    ranges = await withHistories(topic.tail, await rangesFrom(topic.db, request.shards, null))
    await send(`event: gap\nid: ${idOf(positionsBefore(ranges))}\ndata: {}\n\n`)
  }
}

/** Null when the position is no longer in the log. */
async function startOf(
  { db, tail }: EventTopic,
  { shards, after }: EventRequest,
): Promise<ShardRange[] | null> {
  try {
    if (after === null) return await withHistories(tail, await rangesFrom(db, shards, null))
    const positions = after === START ? new Map<number, StreamPosition>() : parsePosition(after, shards)
    const ranges = shards.map((shard) => {
      const { lastId = -1, history = [] } = positions.get(shard) ?? {}
      return { ...openEndedRange(shard, lastId + 1), ...(history.length > 0 ? { history } : {}) }
    })
    return await withHistories(tail, ranges)
  } catch (error) {
    if (error instanceof LogResetError) return null
    throw error
  }
}

/** Returns when a gap is due. */
async function follow(
  topic: EventTopic,
  subscription: LogSubscription,
  send: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let positions: readonly StreamPosition[] = positionsBefore(subscription.ranges)
  let pagesBehind = 0
  try {
    for await (const page of followLog(topic, subscription, signal)) {
      if (page.reset) return
      pagesBehind = page.isEnd ? 0 : pagesBehind + 1
      if (pagesBehind > MAX_BACKLOG_PAGES) return
      if (page.events.length > 0) await send(framesOf(page.events, positions))
      const next = positionsBefore(page.remaining)
      // Also past events that the filter leaves out: so they are not read again after a break.
      if (page.events.length === 0 && idOf(next) !== idOf(positions)) {
        await send(`event: position\nid: ${idOf(next)}\ndata: {}\n\n`)
      }
      positions = next
    }
  } catch (error) {
    const isDropped = error instanceof PlazaError && error.code === 'not_found.event_dropped'
    if (!isDropped && !signal.aborted) throw error
  }
}

function framesOf(events: readonly StreamEvent<string>[], before: readonly StreamPosition[]): string {
  const positions = [...before]
  return events
    .map(({ shard, id, block, encoded }) => {
      const index = positions.findIndex((position) => position.shard === shard)
      positions[index] = positionAfter(positions[index]!, id, block)
      return `event: events\nid: ${idOf(positions)}\ndata: ${encoded}\n\n`
    })
    .join('')
}

/** The empty log has a position, too: so that a client resumes from its beginning. */
function idOf(positions: readonly StreamPosition[]): string {
  return formatPosition(positions) ?? START
}

/** The position before the first event of all shards. */
export const START = 'start'
