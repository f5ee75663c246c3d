import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../platform/db/connection.js'
import { isUnavailable } from '../../platform/db/connection-errors.js'
import type { GateVisit } from '../../platform/limits/work-gate.js'
import { inSlices } from '../../platform/process/turns.js'
import { type BlockRef, confirmedBlock } from './block-history.js'
import { blockOf } from './hub-event.js'
import { AFTER_ALL_EVENTS, type EventFilter, type ShardRange } from './log-range.js'
import { findReset, type LogReset, LogResetError } from './log-reset.js'
import { readEvents, readLogEnds, type StoredHubEvent, startAtKeptEvents, startBeforeEnds } from './read.js'
import type { EventTail, ReadPosition } from './tail.js'

/** Shortest time between reads at the end of the log: a busy hub then sends pages, not single events. */
const READ_INTERVAL_MS = 50
/** Wait before a repeated read while the database is unavailable. */
const RETRY_READ_MS = 1_000

/** The subscription of a stream. */
export interface LogSubscription {
  /** Ranges that remain to be read. */
  readonly ranges: readonly ShardRange[]
  readonly filter: EventFilter | null
}

/** The source of a stream. */
export interface LogReader<Sent> {
  readonly readPage: ReadStreamPage<Sent>
  readonly tail: EventTail
  /** Waits until a stored page may be read, of which few are at once. Undefined: any number. */
  readonly catchUp?: (signal: AbortSignal) => Promise<Pick<GateVisit, 'leave'>>
}

/**
 * Yields the pages of the log, stored ones and then new ones, until the signal aborts.
 *
 * It reads a page after the previous one was taken: a slow reader holds one page and delays no other. It
 * waits while the database is unavailable; nothing is lost. When the log goes back, a page without events says so, and
 * the next one begins at the fork.
 *
 * @throws PlazaError `not_found.event_dropped` if the next event was dropped; AbortError.
 */
export async function* followLog<Sent>(
  { readPage, tail, catchUp }: LogReader<Sent>,
  { ranges, filter }: LogSubscription,
  signal: AbortSignal,
): AsyncGenerator<StreamPage<Sent>, void, void> {
  let remaining = ranges
  let isBehind = false
  while (!signal.aborted) {
    const startedMs = performance.now()
    const visit = isBehind ? await catchUp?.(signal) : undefined
    const page = await readWithRetry(
      () => readOrReset({ readPage, tail }, remaining, filter),
      signal,
    ).finally(() => visit?.leave())
    yield page
    remaining = page.remaining
    isBehind = !page.isEnd
    if (!page.isEnd) continue
    await tail.wait(positionsOf(remaining), signal)
    await sleep(Math.max(0, startedMs + READ_INTERVAL_MS - performance.now()), null, { signal })
  }
}

async function readOrReset<Sent>(
  { readPage, tail }: Pick<LogReader<Sent>, 'readPage' | 'tail'>,
  ranges: readonly ShardRange[],
  filter: EventFilter | null,
): Promise<StreamPage<Sent>> {
  try {
    return await readPage(ranges, filter)
  } catch (error) {
    if (!(error instanceof LogResetError)) throw error
    const { reset } = error
    const isLagging = await isReplicaLag(tail, ranges, reset)
    if (isLagging) return { events: [], isEnd: true, remaining: ranges }
    return { events: [], isEnd: false, remaining: rangesAfterReset(ranges, reset), reset }
  }
}

/** Whether the log of the primary has what the reader has read: a replica that lags has not got it yet. */
export async function isReplicaLag(
  tail: Pick<EventTail, 'hasBlock'>,
  ranges: readonly ShardRange[],
  { shard, isBehind }: LogReset,
): Promise<boolean> {
  const newest = ranges.find((range) => range.shard === shard)?.history?.[0]
  return isBehind && newest !== undefined && (await tail.hasBlock(shard, newest))
}

/** The ranges of a reader that continues at the fork. */
export function rangesAfterReset(
  ranges: readonly ShardRange[],
  { shard, nextId, history }: LogReset,
): ShardRange[] {
  return ranges.map((range) => (range.shard === shard ? { ...range, from: nextId, history } : range))
}

async function readWithRetry<Page>(read: () => Promise<Page>, signal: AbortSignal): Promise<Page> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      await sleep(RETRY_READ_MS, null, { signal })
    }
  }
}

/** Returns the range of all events of a shard from an id on, future ones included. */
export function openEndedRange(shard: number, from: number): ShardRange {
  return { shard, from, stop: AFTER_ALL_EVENTS }
}

/** Returns the open-ended ranges from an id on, or after the last event of each shard. */
export async function rangesFrom(
  db: Database,
  shards: readonly number[],
  from: number | null,
): Promise<readonly ShardRange[]> {
  if (from !== null) {
    const ranges = shards.map((shard) => openEndedRange(shard, from))
    return await startBeforeEnds(db, await startAtKeptEvents(db, ranges))
  }
  return (await readLogEnds(db, shards)).map(({ shard, lastId }) => openEndedRange(shard, lastId + 1))
}

/** Adds to ranges without a history the block before each, and ancestors of it. */
export async function withHistories(
  tail: Pick<EventTail, 'readHistory'>,
  ranges: readonly ShardRange[],
): Promise<ShardRange[]> {
  return await Promise.all(
    ranges.map(async (range) => {
      if (range.history !== undefined || range.from === 0) return range
      return { ...range, history: await tail.readHistory(range.shard, range.from - 1) }
    }),
  )
}

/** Returns the last read id of each range. */
export function positionsOf(ranges: readonly ShardRange[]): ReadPosition[] {
  return ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 }))
}

/** A page of the log in the form that streams send. */
interface StreamPage<Sent> {
  readonly events: readonly StreamEvent<Sent>[]
  readonly isEnd: boolean
  readonly remaining: readonly ShardRange[]
  /** Instead of events: the log of a shard went back. */
  readonly reset?: LogReset
}

/** An event shared by all streams that read it. */
export interface StreamEvent<Sent> {
  readonly shard: number
  readonly id: number
  /** Block of the event; null if the page begins within it. */
  readonly block: BlockRef | null
  /** The encoded event. */
  readonly encoded: Sent
}

/** Reads the first page of some ranges. */
export type ReadStreamPage<Sent> = (
  ranges: readonly ShardRange[],
  filter: EventFilter | null,
) => Promise<StreamPage<Sent>>

/** Encodes events in the order of the list. */
export type EncodeEvents<Sent> = (events: readonly StoredHubEvent[]) => Sent[]

/** Small pages: each slow reader holds one. */
const PAGE_EVENTS = 250
/** Events that are encoded in one turn of the event loop. */
const SLICE_EVENTS = 50
const PAGE_BYTES = 1024 * 1024

/**
 * Returns a page reader that shares concurrent reads of the same page. Streams at the end of the log wake at the
 * same event: together they cost one statement and one encoding.
 */
export function createSingleFlightPages<Sent>(
  db: Database,
  encode: EncodeEvents<Sent>,
): ReadStreamPage<Sent> {
  const inFlight = new Map<string, Promise<StreamPage<Sent>>>()

  async function readPage(
    ranges: readonly ShardRange[],
    filter: EventFilter | null,
  ): Promise<StreamPage<Sent>> {
    const options = { limit: PAGE_EVENTS, maxBytes: PAGE_BYTES, reverse: false, filter }
    const page = await readEvents(db, ranges, options)
    const blocks = new Map(page.confirmations.map((each) => [blockKey(each), confirmedBlock(each.event)]))
    const encoded = (await inSlices(page.events, SLICE_EVENTS, encode)).flat()
    return {
      events: page.events.map((event, index) => ({
        shard: event.shard,
        id: event.id,
        block: blocks.get(blockKey(event)) ?? null,
        encoded: encoded[index]!,
      })),
      isEnd: page.next === null,
      remaining: page.remaining,
    }
  }

  return async (ranges, filter) => {
    const key = keyOf(ranges, filter)
    const pending = inFlight.get(key)
    if (pending) {
      return await pending.catch(async (error: unknown) => {
        throw error instanceof LogResetError ? await ownReset(db, ranges, error.reset) : error
      })
    }
    const page = readPage(ranges, filter).finally(() => inFlight.delete(key))
    inFlight.set(key, page)
    return await page
  }
}

/** The reset as it is for a reader that shared a read: where it left the log is told by the blocks that it remembers itself. */
async function ownReset(
  db: Database,
  ranges: readonly ShardRange[],
  { shard, isBehind }: LogReset,
): Promise<LogResetError> {
  const { from, history = [] } = ranges.find((range) => range.shard === shard)!
  return new LogResetError(await findReset(db, { shard, lastId: from - 1, history }, isBehind))
}

function blockKey({ shard, id }: Pick<StoredHubEvent, 'shard' | 'id'>): string {
  return `${shard}:${blockOf(id)}`
}

/** Returns the key of a reader. Of its history only the newest block counts: it says what the reader has read. */
function keyOf(ranges: readonly ShardRange[], filter: EventFilter | null): string {
  return JSON.stringify([
    ranges.map(({ shard, from, stop, history }) => [shard, from, stop, history?.[0]]),
    filter,
  ])
}
