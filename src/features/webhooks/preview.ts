import type { ConsumedEvent } from '../../hub/log/consumer-batch.js'
import { createSingleFlightPages, followLog, openEndedRange } from '../../hub/log/follow.js'
import { hubEventBody } from '../../hub/log/hub-event.js'
import { AFTER_ALL_EVENTS, type ShardRange } from '../../hub/log/log-range.js'
import { readEvents, readLogEnds } from '../../hub/log/read.js'
import type { EventTail } from '../../hub/log/tail.js'
import { readShardCount, shardNumbers } from '../../hub/shard-count.js'
import type { Database } from '../../platform/db/connection.js'
import { DAY_MS } from '../../platform/durations.js'
import { nextTurn } from '../../platform/process/turns.js'
import { HubEventType } from '../../protocol/definitions.js'
import { unixMsFromFarcasterSeconds } from '../../protocol/time.js'
import { readPublished } from '../tokens/trade-lists.js'
import { type EventRenderContext, renderEventData } from './delivery/event-data.js'
import { deliveryBody } from './delivery/request.js'
import { deriveWebhookEvents, webhookEventTypes } from './events/event-derivation.js'
import { leaveOutHistory } from './events/history.js'
import { matchEvents } from './events/matched-events.js'
import { tradeEventsOf } from './events/trade-publisher.js'
import type { WebhookEvent } from './events/webhook-event.js'
import { Matcher } from './matching/matcher.js'
import type { WebhookEventKind, WebhookSubscriptionFilters } from './schema/webhook-filters.js'

/** Past events that filters match. */
interface Preview {
  readonly matched: ReadonlyMap<WebhookEventKind, number>
  readonly scannedEvents: number
  /** Whether all of the last three days was searched. */
  readonly isComplete: boolean
  /** Time of the oldest searched block in Unix milliseconds; null when there was none. */
  readonly sinceMs: number | null
  readonly samples: readonly { readonly kind: WebhookEventKind; readonly id: string; readonly data: string }[]
}

const WINDOW_MS = 3 * DAY_MS
/** Decoded and matched in one turn of the event loop. */
const PAGE = 150
/** Most milliseconds of a preview; a partial result says how far it came. */
const BUDGET_MS = 3_000
const MAX_EVENTS = 100_000

/** Trades that a preview reads at most: they are no events of the log. */
const MAX_TRADES = 5_000

/** Result of one search: of the log, or of trades. */
interface Search extends Pick<Preview, 'scannedEvents' | 'isComplete' | 'sinceMs'> {
  /** All events that match. */
  readonly counts: ReadonlyMap<WebhookEventKind, number>
  /** The newest of them, newest first. */
  readonly sampled: readonly WebhookEvent[]
}

interface SearchOptions {
  readonly db: Database
  readonly matcher: Matcher
  readonly clock: () => number
  readonly startedMs: number
  /** Maximum samples. */
  readonly samples: number
}

/** Matches unsaved filters against the log and the published trades, newest events first. */
export async function previewFilters(
  context: EventRenderContext & { readonly clock: () => number },
  filters: WebhookSubscriptionFilters,
  samples: number,
): Promise<Preview> {
  const { db, clock } = context
  const matcher = new Matcher()
  matcher.set({ webhookId: 'preview', filters })
  const startedMs = clock()
  const options = { db, matcher, clock, startedMs, samples }
  const searches: Search[] = []
  if (matcher.hasSubscribers('trade.created')) searches.push(await searchTrades(options))
  // Without other kinds, the log has nothing to find.
  const isTradesOnly = Object.keys(filters).every((kind) => kind === 'trade.created')
  if (!isTradesOnly || searches.length === 0) searches.push(await searchLog(options))
  const starts = searches.flatMap(({ sinceMs }) => sinceMs ?? [])
  const sampled = mergeNewest(searches.map((search) => search.sampled)).slice(0, samples)
  return {
    matched: new Map(searches.flatMap(({ counts }) => [...counts])),
    scannedEvents: searches.reduce((sum, { scannedEvents }) => sum + scannedEvents, 0),
    isComplete: searches.every(({ isComplete }) => isComplete),
    sinceMs: starts.length === 0 ? null : Math.max(...starts),
    samples: await renderEvents(context, sampled, new Date(startedMs)),
  }
}

async function searchTrades({ db, matcher, startedMs, samples }: SearchOptions): Promise<Search> {
  const fromMs = startedMs - WINDOW_MS
  const trades = await readPublished(db, { since: Math.ceil(fromMs / 1000), limit: MAX_TRADES })
  const isComplete = trades.length < MAX_TRADES
  const matched = await matchEvents(db, matcher, await tradeEventsOf(db, trades))
  return {
    counts: new Map(matched.length > 0 ? [['trade.created', matched.length]] : []),
    sampled: matched.slice(0, samples).map(({ event }) => event),
    scannedEvents: trades.length,
    isComplete,
    sinceMs: isComplete ? fromMs : trades.at(-1)!.tradedAt * 1000,
  }
}

/** A shard while its log is searched, newest events first. */
interface ShardSearch {
  /** Ranges that are left to read: none at the end of the window or of the log. */
  ranges: readonly ShardRange[]
  /** Events whose block is not read to its start, where its time stands. */
  block: readonly ConsumedEvent[]
  /** Time of the oldest block in Unix milliseconds. */
  oldestMs: number | null
  readonly sampled: WebhookEvent[]
}

async function searchLog(options: SearchOptions): Promise<Search> {
  const { db, clock, startedMs, samples } = options
  const counts = new Map<WebhookEventKind, number>()
  const searches: ShardSearch[] = (await fullLogRanges(db)).map((range) => ({
    ranges: [range],
    block: [],
    oldestMs: null,
    sampled: [],
  }))
  let scannedEvents = 0
  const unread = () => searches.filter(({ ranges }) => ranges.length > 0)
  while (unread().length > 0 && scannedEvents < MAX_EVENTS && clock() - startedMs < BUDGET_MS) {
    // In turns: shards count their events each for itself, so ids of several say nothing about time.
    for (const search of unread()) scannedEvents += await searchPage(options, search, counts)
  }
  const sampled = searches.reduce<WebhookEvent[]>((merged, each) => mergeNewest([merged, each.sampled]), [])
  return {
    counts,
    sampled: sampled.slice(0, samples),
    scannedEvents,
    isComplete: unread().length === 0,
    sinceMs: oldestOf(searches, unread(), startedMs),
  }
}

/** Searches the next page of a shard. Returns its number of events. */
async function searchPage(
  { db, matcher, startedMs, samples }: SearchOptions,
  search: ShardSearch,
  counts: Map<WebhookEventKind, number>,
): Promise<number> {
  const page = await readEvents(db, search.ranges, {
    limit: PAGE,
    reverse: true,
    filter: { fids: null, types: [...webhookEventTypes, HubEventType.BLOCK_CONFIRMED] },
  })
  await nextTurn()
  const events = page.events.map(({ shard, id, event }) => ({ shard, id, body: hubEventBody(event) }))
  const { recent, block, oldestMs, isOlder } = splitAtWindow(
    [...search.block, ...events],
    startedMs - WINDOW_MS,
  )
  search.oldestMs = oldestMs ?? search.oldestMs
  search.ranges = page.next === null || isOlder ? [] : page.remaining
  search.block = search.ranges.length > 0 ? block : []
  // Where the log ends in a block, it is from within the window as far as anybody knows.
  const found = page.next === null && !isOlder ? [...recent, ...block] : recent
  for (const event of await matchNews(db, matcher, found, startedMs)) {
    counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1)
    if (search.sampled.length < samples) search.sampled.push(event)
  }
  return page.events.length
}

/**
 * Splits events of a shard, newest first, into those of blocks since a time, and those of the last block if its start, which has
 * its time, is not among them.
 */
function splitAtWindow(events: readonly ConsumedEvent[], fromMs: number) {
  let recent = 0
  let oldestMs: number | null = null
  for (const [index, { body }] of events.entries()) {
    if (body.type !== HubEventType.BLOCK_CONFIRMED) continue
    oldestMs = unixMsFromFarcasterSeconds(body.timestamp)
    if (oldestMs < fromMs) return { recent: events.slice(0, recent), block: [], oldestMs, isOlder: true }
    recent = index + 1
  }
  return { recent: events.slice(0, recent), block: events.slice(recent), oldestMs, isOlder: false }
}

/** How far back all shards were searched, in Unix milliseconds; of complete ones only if all are. Null when there was no block. */
function oldestOf(
  searches: readonly ShardSearch[],
  unread: readonly ShardSearch[],
  startedMs: number,
): number | null {
  if (unread.length > 0) return Math.max(...unread.map(({ oldestMs }) => oldestMs ?? startedMs))
  const times = searches.flatMap(({ oldestMs }) => oldestMs ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** Merges lists by time, newest first, without another order within a list. An event without a time comes first. */
function mergeNewest([first = [], second = []]: readonly (readonly WebhookEvent[])[]): WebhookEvent[] {
  const timeOf = (event: WebhookEvent | undefined) => event?.happenedAt ?? Number.POSITIVE_INFINITY
  const merged: WebhookEvent[] = []
  let next = 0
  for (const event of first) {
    while (next < second.length && timeOf(second[next]) > timeOf(event)) merged.push(second[next++]!)
    merged.push(event)
  }
  return [...merged, ...second.slice(next)]
}

async function fullLogRanges(db: Database): Promise<ShardRange[]> {
  const shards = await db<{ shard: number }[]>`select shard from hub.shards order by shard`
  return shards.map(({ shard }) => ({ shard, from: 0, stop: AFTER_ALL_EVENTS }))
}

async function renderEvents(context: EventRenderContext, found: readonly WebhookEvent[], detectedAt: Date) {
  const events = found.map((event) => ({ ...event, detectedAt }))
  const data = await renderEventData(context, events)
  return events.map(({ id, kind }) => ({ kind, id, detectedAt, data: data.get(id) ?? 'null' }))
}

/** Returns what webhooks would get of these events. */
async function matchNews(db: Database, matcher: Matcher, events: readonly ConsumedEvent[], nowMs: number) {
  const matched = await matchEvents(db, matcher, deriveWebhookEvents(events))
  return await leaveOutHistory(
    db,
    matched.map(({ event }) => event),
    nowMs,
  )
}

/** Dependencies of `watchEvents`. */
export interface WatchOptions extends EventRenderContext {
  readonly filters: WebhookSubscriptionFilters
  readonly tail: EventTail
  /** Unix milliseconds. */
  readonly clock: () => number
}

/**
 * Yields the bodies that a webhook with these filters would receive from now on, until the signal aborts. Nothing is
 * stored or sent, and events while nobody watches are skipped.
 */
export async function* watchEvents(options: WatchOptions, signal: AbortSignal): AsyncGenerator<string> {
  const { db, filters, tail, clock } = options
  const matcher = new Matcher()
  matcher.set({ webhookId: 'watch', filters })
  // Not those of HUB_SHARDS, which a command on another machine may lack.
  const ends = await readLogEnds(db, shardNumbers((await readShardCount(db)) ?? 1))
  const ranges = ends.map(({ shard, lastId }) => openEndedRange(shard, lastId + 1))
  const filter = { fids: null, types: webhookEventTypes }
  const readPage = createSingleFlightPages(db, (events) => [...events])
  try {
    for await (const page of followLog({ readPage, tail }, { ranges, filter }, signal)) {
      if (page.reset) tail.reportReset('webhook listen', page.reset)
      const events = page.events.map(({ shard, id, encoded }) => ({
        shard,
        id,
        body: hubEventBody(encoded.event),
      }))
      const found = await matchNews(db, matcher, events, clock())
      for (const event of await renderEvents(options, found, new Date(clock()))) {
        yield deliveryBody({ ...event, id: `watch-${event.id}`, eventId: event.id })
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
