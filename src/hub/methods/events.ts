import { tryParseJson } from '../../platform/text/try-parse-json.js'
import { ancestorsOf, type BlockHistory, decodeHistory, encodeHistory } from '../log/block-history.js'
import { blockOf } from '../log/hub-event.js'
import { AFTER_ALL_EVENTS, type ShardRange } from '../log/log-range.js'
import { type EventPage, readEvent, type StoredHubEvent, startAtKeptEvents } from '../log/read.js'
import { listReply } from '../protobuf.js'
import { type Field, shard } from './fields.js'
import { MAX_GRPC_PAGE_BYTES, pageSizeOf } from './grpc/request.js'
import { toWireEvent } from './grpc/wire-bytes.js'
import { parseU32, parseU64 } from './http/parameters.js'
import { type EncodedEventPage, type Reply, readMethod } from './hub-method.js'
import { hubEventJson } from './json/hub-event.js'
import { invalid, requestedShards, requireFound } from './refusals.js'
import { base64Token, jsonPage } from './replies.js'

/** The part of the log that a request asks for. */
interface LogPage {
  readonly ranges: readonly ShardRange[]
  /** The ranges are those of a page token: each shard has a position of its own. */
  readonly isContinued: boolean
  /** The first event id of the request, included. */
  readonly from: number
  readonly limit: number
  readonly reverse: boolean
  readonly maxBytes?: number
}

/** Shards are merged by id, and the page size is for the whole page (docs/hub-api.md). */
const logPage: Field<LogPage> = {
  parameters: [
    'from_event_id',
    'stop_id',
    'shard_index',
    'page_size',
    'pageSize',
    'page_token',
    'pageToken',
    'reverse',
  ],
  members: ['startId', 'stopId', 'shardIndex', 'pageSize', 'pageToken', 'reverse'],
  fromQuery(query, shards) {
    const { reverse } = query
    const from = query.read(parseU64, 'from_event_id') ?? 0
    const stop = query.read(parseU64, 'stop_id') ?? AFTER_ALL_EVENTS
    const requested = requestedShards(query.read(parseU32, 'shard_index'), shards)
    const token = query.pageToken()
    const ranges = rangesOf({ shards: requested, from, stop, reverse }, token)
    return { ranges, isContinued: token !== null, from, reverse, limit: query.pageSize() }
  },
  fromRequest(request, shards) {
    const { startId: from = 0, stopId: stop = AFTER_ALL_EVENTS, reverse = false, pageToken } = request
    const requested = requestedShards(request.shardIndex, shards)
    const token = pageToken?.length ? { name: 'page_token', bytes: pageToken } : null
    const ranges = rangesOf({ shards: requested, from, stop, reverse }, token)
    const limit = pageSizeOf(request)
    return { ranges, isContinued: token !== null, from, reverse, limit, maxBytes: MAX_GRPC_PAGE_BYTES }
  },
}

function rangesOf(
  { shards, from, stop, reverse }: Omit<ShardRange, 'shard'> & { shards: number[]; reverse: boolean },
  token: { readonly name: string; readonly bytes: Uint8Array } | null,
): readonly ShardRange[] {
  const all = shards.map((shard) => ({ shard, from, stop }))
  if (!token) return all
  const remaining = rangesAfter(token.bytes, all, reverse)
  if (typeof remaining === 'string') throw invalid(token.name, remaining)
  return remaining
}

/** The id of an event. */
const eventId: Field<number> = {
  parameters: ['event_id'],
  members: ['id'],
  fromQuery: (query) => query.require(parseU64, 'event_id'),
  fromRequest: ({ id = 0 }) => id,
}

const hubEvent: Reply<StoredHubEvent | null> = {
  json: (event) => hubEventJson(requireFound(event, 'Event not found')),
  protobuf: (event) => toWireEvent(requireFound(event, 'Event not found').event),
}

const hubEvents: Reply<{ readonly page: EncodedEventPage; readonly request: LogPage }> = {
  json: ({ page, request: { from, reverse } }) =>
    jsonPage('events', page.events, {
      nextPageToken: base64Token(eventToken(page, reverse)),
      nextPageEventId: nextPageEventId(page, from, reverse),
    }),
  protobuf: ({ page, request }) => listReply(page.events, eventToken(page, request.reverse)),
}

/**
 * The id that older clients send back: forward as `from_event_id`, in reverse as `stop_id`. It is the first
 * event that the page does not have; at the end, a lower bound of the next id of each shard.
 *
 * One number cannot say how far each of several shards was read: events may repeat, and none is lost while the log
 * keeps it. `nextPageToken`, or a request for each shard, repeats nothing.
 */
function nextPageEventId(page: EncodedEventPage, from: number, reverse: boolean): number {
  if (reverse) return page.next === null ? from : page.next.id + 1
  return page.next?.id ?? Math.min(...page.remaining.map((range) => range.from))
}

export const eventMethods = [
  readMethod({
    http: { path: '/events', failure: 'Failed to get events' },
    grpc: 'getEvents',
    request: { request: logPage },
    reply: hubEvents,
    handle: async ({ request }, { db, readEvents }) => {
      const { ranges, isContinued, ...options } = request
      // In reverse a token moves where a range stops: its start is still the number of the request.
      const startsAtToken = isContinued && !options.reverse
      const started = startsAtToken ? ranges : await startAtKeptEvents(db, ranges)
      return { request, page: await readEvents(db, started, options) }
    },
  }),
  readMethod({
    http: { path: '/eventById', failure: 'Failed to get event' },
    grpc: 'getEvent',
    request: { id: eventId, shard: shard('shard_index', 'shardIndex') },
    reply: hubEvent,
    handle: ({ id, shard }, { db }) => readEvent(db, shard, id),
  }),
]

/** Prefix of an event key of the reference node, before the id in eight bytes (docs/protocol.md §1.4). */
const KEY_PREFIX = 9
const KEY_BYTES = 9
/** More than any token has. */
const MAX_ENTRY_BYTES = 200

/**
 * Returns the ranges that remain after the page of this token, or a text that says what is wrong with the
 * token.
 *
 * A token is a JSON array with one entry for each requested shard, in the order of shards (docs/protocol.md
 * §1.4): the key of the last event of the page in that shard, or null to start at the bound of the range.
 * Each shard has its own position: no event is lost or repeated when one shard writes a lower id than another
 * has shown.
 */
function rangesAfter(
  token: Uint8Array,
  ranges: readonly ShardRange[],
  reverse: boolean,
): ShardRange[] | string {
  const ids = parseEntries(token)
  if (!ids) return 'is not a token of a page of events'
  if (ids.length !== ranges.length) return `is for ${ids.length} shards, but ${ranges.length} are requested`
  return ranges.map((range, index) => {
    const key = ids[index] ?? null
    if (key === null) return range
    const { id, history } = key
    const known = history.length > 0 ? { history } : {}
    return reverse ? { ...range, stop: id, ...known } : { ...range, from: id + 1, ...known }
  })
}

/** Returns the token of the next page; undefined at the end. */
function eventToken(page: Pick<EventPage, 'next' | 'remaining'>, reverse: boolean): Buffer | undefined {
  if (page.next === null) return undefined
  const entries = page.remaining.map(({ from, stop, history = [] }) => {
    if (reverse) return stop === AFTER_ALL_EVENTS ? null : encodeEventKey(stop, history)
    return from === 0 ? null : encodeEventKey(from - 1, history)
  })
  return Buffer.from(JSON.stringify(entries))
}

function encodeEventKey(id: number, history: BlockHistory): number[] {
  const key = Buffer.alloc(KEY_BYTES)
  key[0] = KEY_PREFIX
  key.writeBigUInt64BE(BigInt(id), 1)
  return [...key, ...encodeHistory(ancestorsOf(history))]
}

/** The last event of a page, and the last blocks that were read. */
interface EventKey {
  readonly id: number
  readonly history: BlockHistory
}

function parseEntries(bytes: Uint8Array): (EventKey | null)[] | null {
  const entries = tryParseJson(Buffer.from(bytes).toString('utf8'))
  if (!Array.isArray(entries)) return null
  const keys = entries.map((entry) => (entry === null ? null : decodeEventKey(entry)))
  return keys.includes(undefined) ? null : (keys as (EventKey | null)[])
}

/** Decodes an event key; undefined if it is malformed. Tokens of the reference node have no blocks. */
function decodeEventKey(entry: unknown): EventKey | undefined {
  if (!Array.isArray(entry) || entry.length < KEY_BYTES || entry.length > MAX_ENTRY_BYTES) return undefined
  if (!entry.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 0xff)) return undefined
  const key = Buffer.from(entry)
  const id = key.readBigUInt64BE(1)
  const history = decodeHistory(key.subarray(KEY_BYTES))
  if (key[0] !== KEY_PREFIX || id >= BigInt(AFTER_ALL_EVENTS) || !isValidHistory(history)) return undefined
  return { id: Number(id), history }
}

function isValidHistory(history: BlockHistory | null): history is BlockHistory {
  return history?.every(({ height }) => height > 0 && height <= blockOf(AFTER_ALL_EVENTS)) ?? false
}
