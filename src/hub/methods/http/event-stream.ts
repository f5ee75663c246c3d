import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { limits } from '../../../platform/limits/limits.js'
import { createSlots } from '../../../platform/limits/slots.js'
import { waitForDrain } from '../../../platform/process/wait-for-drain.js'
import {
  createSingleFlightPages,
  followLog,
  openEndedRange,
  positionsOf,
  type ReadStreamPage,
  rangesFrom,
  type StreamEvent,
  type Subscription,
} from '../../log/follow.js'
import type { EventFilter } from '../../log/read.js'
import type { ReadPosition } from '../../log/tail.js'
import { hubEventTypeNames } from '../json/enum-names.js'
import { hubEventJson } from '../json/hub-event.js'
import { invalid, requestedShards } from '../refusals.js'
import { failureBody, toPlazaError } from './errors.js'
import type { HubApi } from './hub-api.js'
import { enumParser, Parameters, parseFid, parseU32, parseU64 } from './parameters.js'

const FAILURE = 'Failed to stream events'
const parseEventType = enumParser(hubEventTypeNames)
const HEARTBEAT_MS = 15_000
const MAX_FILTER_FIDS = 1_000

/** A stream whose reader takes nothing for so long is ended; the reader can resume. */
const STALL_TIMEOUT_MS = 2 * 60_000
/** When the server stops, a slow reader has so long to take what was sent. */
const CLOSE_TIMEOUT_MS = 1_000
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
  const slots = createSlots(limits.eventStreams, api.config.maxStreams)
  const readPage = createSingleFlightPages(api.db, (event) => JSON.stringify(hubEventJson(event)))
  const streams = new Map<AbortController, Promise<void>>()

  scope.addHook('preClose', async () => {
    for (const controller of streams.keys()) controller.abort()
    await Promise.all(streams.values())
  })

  const options = { config: { failure: FAILURE }, exposeHeadRoute: false }
  scope.get('/events/stream', options, async (request, reply) => {
    // Before the statement that finds where to start.
    const freeSlot = slots.take()
    const controller = new AbortController()
    const started = subscribe(request, api)
    const stream = started.then(
      (subscription) => {
        reply.hijack()
        const headers = { ...reply.getHeaders(), ...streamHeaders }
        reply.raw.writeHead(200, headers as Record<string, string>)
        return new EventStream(reply.raw, request, controller, api, readPage).run(subscription)
      },
      () => {},
    )
    streams.set(
      controller,
      stream.finally(() => {
        streams.delete(controller)
        freeSlot()
      }),
    )
    await started
    return reply
  })
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy that buffers the whole answer would never send it.
  'x-accel-buffering': 'no',
}

async function subscribe(request: FastifyRequest, { db, config }: HubApi): Promise<Subscription> {
  const parameters = new Parameters(request.query)
  const shards = requestedShards(parameters.read(parseU32, 'shard_index'), config.shards)
  const from = parameters.read(parseU64, 'from_event_id')
  const filter = filterOf(parameters)
  const header = request.headers['last-event-id']
  // The header counts first: a browser that reconnects repeats the URL of the first request.
  if (typeof header === 'string' && header !== '') {
    const lastIds = parsePosition(header, shards)
    const resumeFrom = (shard: number) => {
      const lastId = lastIds.get(shard)
      return lastId === undefined ? (from ?? 0) : lastId + 1
    }
    return { ranges: shards.map((shard) => openEndedRange(shard, resumeFrom(shard))), filter }
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
  #positions: readonly ReadPosition[] = []

  constructor(
    readonly response: ServerResponse,
    readonly request: FastifyRequest,
    readonly controller: AbortController,
    readonly api: HubApi,
    readonly readPage: ReadStreamPage<string>,
  ) {}

  async run(subscription: Subscription): Promise<void> {
    const { response, controller } = this
    response.on('close', () => controller.abort())
    response.on('error', () => controller.abort())
    this.#positions = positionsOf(subscription.ranges)
    const heartbeat = setInterval(() => this.#heartbeat(), this.api.config.heartbeatMs ?? HEARTBEAT_MS)
    try {
      await this.#send(`retry: ${RECONNECT_MS}\n${this.#progress()}`)
      await this.#follow(subscription)
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(error)
    } finally {
      clearInterval(heartbeat)
      await closeGracefully(response)
    }
  }

  async #follow(subscription: Subscription): Promise<void> {
    const follower = { readPage: this.readPage, tail: this.api.tail }
    for await (const { events, remaining } of followLog(follower, subscription, this.controller.signal)) {
      if (events.length > 0) await this.#send(this.#frames(events))
      this.#positions = positionsOf(remaining)
    }
  }

  #frames(events: readonly StreamEvent<string>[]): string {
    const lastIds = new Map(this.#positions.map(({ shard, lastId }) => [shard, lastId]))
    return events
      .map(({ shard, id, encoded }) => {
        lastIds.set(shard, id)
        const position = formatPosition([...lastIds].map(([each, lastId]) => ({ shard: each, lastId })))
        return `id: ${position}\ndata: ${encoded}\n\n`
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

  #heartbeat(): void {
    // A slow reader still has something to take.
    if (!this.response.writableNeedDrain && !this.response.writableEnded)
      this.response.write(this.#progress())
  }

  async #send(text: string): Promise<void> {
    if (this.response.write(text)) return
    const timeoutMs = this.api.config.stallTimeoutMs ?? STALL_TIMEOUT_MS
    if (await waitForDrain(this.response, timeoutMs, this.controller.signal)) return
    // The reader is gone or stalled.
    this.controller.abort()
  }

  /** Sends the error that ends a stream, such as one whose position is no longer in the log. */
  #fail(cause: unknown): void {
    const error = toPlazaError(cause, this.request)
    if (error.code === 'internal') this.request.log.error({ err: cause }, 'event stream failed')
    this.response.write(`event: error\ndata: ${JSON.stringify(failureBody(FAILURE, error))}\n\n`)
  }
}

/** Ends the answer, and closes the connection when a slow reader does not take the rest in time. */
async function closeGracefully(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const closed = once(response, 'close').catch(() => {})
  response.end()
  await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, null, { ref: false })])
  response.destroy()
}

/** The header that has a position. */
const POSITION_HEADER = 'Last-Event-ID'

/**
 * Formats the position of a stream as the `id` of a server-sent event: the last event id for one shard, else
 * that of each shard, such as `1:81920,2:16384`. Shards without an event yet are left out; null when all are.
 */
function formatPosition(positions: readonly ReadPosition[]): string | null {
  const started = positions.filter((position) => position.lastId >= 0)
  if (started.length === 0) return null
  if (positions.length === 1) return String(started[0]!.lastId)
  return started.map(({ shard, lastId }) => `${shard}:${lastId}`).join(',')
}

/** Parses the last id of each shard of a position. For one shard both forms are allowed. */
function parsePosition(text: string, shards: readonly number[]): Map<number, number> {
  const lastIds = new Map<number, number>()
  for (const part of text.split(',')) {
    const { shard, id } = parsePart(part.trim(), shards)
    if (!shards.includes(shard)) throw invalid(POSITION_HEADER, `names shard ${shard}, which is not followed`)
    if (lastIds.has(shard)) throw invalid(POSITION_HEADER, `names shard ${shard} twice`)
    lastIds.set(shard, id)
  }
  return lastIds
}

function parsePart(part: string, shards: readonly number[]): { shard: number; id: number } {
  const [, shard, digits] = /^(?:(\d{1,5}):)?(\d{1,16})$/.exec(part) ?? []
  const id = Number(digits)
  if (digits === undefined || id >= Number.MAX_SAFE_INTEGER)
    throw invalid(POSITION_HEADER, 'is not a position in the log')
  if (shard !== undefined) return { shard: Number(shard), id }
  const [onlyShard] = shards
  if (onlyShard === undefined || shards.length > 1) {
    throw invalid(POSITION_HEADER, 'must name the shard of each id, such as 1:81920,2:16384')
  }
  return { shard: onlyShard, id }
}
