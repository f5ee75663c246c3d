import type { FastifyInstance, FastifyRequest } from 'fastify'
import { limits } from '../../../platform/limits/limits.js'
import { createSlots } from '../../../platform/limits/slots.js'
import { EventStreams } from '../../../platform/streams/event-streams.js'
import type { StreamResponse } from '../../../platform/streams/stream-response.js'
import {
  createSingleFlightPages,
  followLog,
  type LogReader,
  type LogSubscription,
  openEndedRange,
  rangesAfterReset,
  rangesFrom,
  type StreamEvent,
  withHistories,
} from '../../log/follow.js'
import type { EventFilter, ShardRange } from '../../log/log-range.js'
import { type LogReset, LogResetError } from '../../log/log-reset.js'
import type { StoredHubEvent } from '../../log/read.js'
import { callerOfHub } from '../hub-callers.js'
import { hubEventTypeNames } from '../json/enum-names.js'
import { transcodeHubEvents } from '../json/transcode.js'
import { invalid, requestedShards } from '../refusals.js'
import { failureBody, toHubError } from './errors.js'
import type { HubApi } from './hub-api.js'
import { enumParser, Parameters, parseFid, parseU32, parseU64 } from './parameters.js'
import {
  formatPosition,
  parsePosition,
  positionAfter,
  positionsBefore,
  type StreamPosition,
} from './stream-position.js'

const FAILURE = 'Failed to stream events'
const parseEventType = enumParser(hubEventTypeNames)
const HEARTBEAT_MS = 15_000
const MAX_FILTER_FIDS = 1_000

/** Time after which a stream whose reader takes nothing is ended; the reader can resume. */
const STALL_TIMEOUT_MS = 2 * 60_000
/** The time that clients wait before they reconnect. */
const RECONNECT_MS = 2_000

/**
 * Adds `GET /events/stream`: the log as server-sent events. Each has an event in JSON, as in `/v1/events`,
 * and an `id` from which a client resumes (`Last-Event-ID`).
 *
 * A stream pulls: it reads a page, sends it, and waits until the socket has taken it before it reads the
 * next. So a slow reader holds one page in memory and delays no other, and nothing is queued.
 */
export function registerEventStream(scope: FastifyInstance, api: HubApi): void {
  const { maxStreams: max, maxStreamsOfCaller: maxOfCaller, stallTimeoutMs = STALL_TIMEOUT_MS } = api.config
  const streams = new EventStreams({
    slots: createSlots(limits.eventStreams, limits.eventStreamsOfCaller, { max, maxOfCaller }),
    stallTimeoutMs,
  })
  streams.register(scope)
  const readPage = createSingleFlightPages(api.db, jsonOfEach)

  const options = { config: { failure: FAILURE }, exposeHeadRoute: false }
  scope.get('/events/stream', options, async (request, reply) => {
    const caller = await callerOfHub(api.nameKey, request, request.ip)
    const catchUp = (signal: AbortSignal) => api.workLimits.catchUp.enter(caller, signal)
    const follower = { readPage, tail: api.tail, catchUp }
    return await streams.open(request, reply, {
      caller,
      subscribe: () => subscribe(request, api),
      run: (response, subscription, { signal }) =>
        new EventStream(response, request, signal, api, follower).run(subscription),
    })
  })
}

/** The JSON of each event. */
function jsonOfEach(events: readonly StoredHubEvent[]): string[] {
  const { json, ends } = transcodeHubEvents(events)
  return ends.map((end, index) => json.toString('utf8', index === 0 ? 0 : ends[index - 1]! + 1, end))
}

async function subscribe(request: FastifyRequest, { db, config }: HubApi): Promise<LogSubscription> {
  const parameters = new Parameters(request.query)
  const shards = requestedShards(parameters.read(parseU32, 'shard_index'), config.shards)
  const from = parameters.read(parseU64, 'from_event_id')
  const filter = filterOf(parameters)
  const header = request.headers['last-event-id']
  // The header counts first: a browser that reconnects repeats the URL of the first request.
  if (typeof header === 'string' && header !== '') {
    const positions = parsePosition(header, shards)
    const resumeFrom = (shard: number) => {
      const position = positions.get(shard)
      // A shard that had no event then, whatever the URL says: it was not as far as that.
      if (!position) return openEndedRange(shard, 0)
      const { lastId, history } = position
      return { ...openEndedRange(shard, lastId + 1), ...(history.length > 0 ? { history } : {}) }
    }
    return { ranges: shards.map(resumeFrom), filter }
  }
  return { ranges: await rangesFrom(db, shards, from), filter }
}

function filterOf(parameters: Parameters): EventFilter | null {
  const fids = parameters.list('fid')
  const types = parameters.list('event_type')
  if (!fids && !types) return null
  if (fids && fids.values.length > MAX_FILTER_FIDS) throw invalid('fid', `holds more than ${MAX_FILTER_FIDS}`)
  return {
    fids: fids?.values.map((value) => parseFid('fid', value)) ?? null,
    types: types?.values.map((value) => parseEventType('event_type', value)) ?? null,
  }
}

/** Sends the log to one reader, until it disconnects or the server stops. */
class EventStream {
  #positions: readonly StreamPosition[] = []

  constructor(
    readonly response: StreamResponse,
    readonly request: FastifyRequest,
    readonly signal: AbortSignal,
    readonly api: HubApi,
    readonly follower: LogReader<string>,
  ) {}

  async run(subscription: LogSubscription): Promise<void> {
    const { response, signal } = this
    this.#positions = positionsBefore(subscription.ranges)
    const sendHeartbeat = () => response.heartbeat(this.#progress())
    const heartbeat = setInterval(sendHeartbeat, this.api.config.heartbeatMs ?? HEARTBEAT_MS)
    try {
      await response.send(`retry: ${RECONNECT_MS}\n${this.#progress()}`)
      await this.#follow(subscription)
    } catch (error) {
      if (!signal.aborted) await this.#fail(error)
    } finally {
      clearInterval(heartbeat)
      await response.close()
    }
  }

  async #follow(subscription: LogSubscription): Promise<void> {
    const ranges = await this.#withHistories(subscription.ranges)
    for await (const page of followLog(this.follower, { ...subscription, ranges }, this.signal)) {
      if (page.events.length > 0) await this.response.send(this.#frames(page.events))
      this.#positions = positionsBefore(page.remaining)
      if (page.reset) await this.#sendReset(page.reset)
    }
  }

  /** Adds the blocks before the ranges. A position without a hash may be behind the end of a log that went back. */
  async #withHistories(ranges: readonly ShardRange[]): Promise<readonly ShardRange[]> {
    try {
      const found = await withHistories(this.api.tail, ranges)
      this.#positions = positionsBefore(found)
      return found
    } catch (error) {
      if (!(error instanceof LogResetError)) throw error
      const remaining = rangesAfterReset(ranges, error.reset)
      this.#positions = positionsBefore(remaining)
      await this.#sendReset(error.reset)
      return await this.#withHistories(remaining)
    }
  }

  /** Tells the reader that events it was sent are no longer in the log, and that the stream continues at the fork. */
  async #sendReset(reset: LogReset): Promise<void> {
    const { shard, lastId, nextId } = reset
    this.api.tail.reportReset('event streams', reset, 'client')
    const position = formatPosition(this.#positions)
    const data = JSON.stringify({ shardIndex: shard, lostEventId: lastId, nextEventId: nextId })
    const id = position === null ? '' : `id: ${position}\n`
    await this.response.send(`event: log-reset\n${id}data: ${data}\n\n`)
  }

  #frames(events: readonly StreamEvent<string>[]): string {
    const positions = [...this.#positions]
    return events
      .map(({ shard, id, block, encoded }) => {
        const index = positions.findIndex((position) => position.shard === shard)
        positions[index] = positionAfter(positions[index]!, id, block)
        return `id: ${formatPosition(positions)}\ndata: ${encoded}\n\n`
      })
      .join('')
  }

  /**
   * A heartbeat comment and the position. An `id` without data is no event and moves the position from which
   * a client resumes, which matters to readers of rare events.
   */
  #progress(): string {
    const position = formatPosition(this.#positions)
    return position === null ? ': heartbeat\n\n' : `: heartbeat\nid: ${position}\n\n`
  }

  /** Sends the error that ends a stream, such as one whose position is no longer in the log. */
  async #fail(cause: unknown): Promise<void> {
    const error = toHubError(cause, this.request)
    if (error.code === 'internal') this.request.log.error({ err: cause }, 'event stream failed')
    await this.response.send(`event: error\ndata: ${JSON.stringify(failureBody(FAILURE, error))}\n\n`)
  }
}
