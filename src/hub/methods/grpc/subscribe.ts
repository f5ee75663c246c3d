import { Metadata, type ServerWritableStream } from '@grpc/grpc-js'
import { PlazaError } from '../../../platform/errors.js'
import { waitForDrain } from '../../../platform/process/wait-for-drain.js'
import { followLog, openEndedRange, type Subscription } from '../../log/follow.js'
import { readLogEnds } from '../../log/read.js'
import {
  createSingleFlightPages,
  type ReadStreamPage,
  type StreamEvent,
} from '../../log/single-flight-pages.js'
import { hubEventTypeNames } from '../json/enum-names.js'
import type { Admit } from './admission.js'
import { statusOf } from './call-status.js'
import { requestedShards } from './events.js'
import type { HubGrpcApi, RequestOf } from './grpc-api.js'
import { decodeRequest } from './method.js'
import { enumValueOf } from './request-fields.js'
import { toWireEvent } from './wire-bytes.js'

const MAX_SUBSCRIBERS = 256

/** A call that is answered with encoded events. */
export type SubscribeCall = ServerWritableStream<Buffer, Buffer>

/** All who follow the log over gRPC. */
export interface Subscribers {
  /** Serves one call until it ends. */
  serve(call: SubscribeCall): void
  /** Tells all of them that the server stops; resolves when the last one has ended. */
  close(): Promise<void>
}

/**
 * Serves the log as a stream (docs/protocol.md §2.5). A subscriber pulls: a page is read and written, and only when it was taken
 * is the next one read. So a slow one holds one page in memory, delays nobody, and nothing is queued for anybody.
 *
 * @param destroyConnection Ends a connection at once, by its peer.
 */
export function createSubscribers(
  api: HubGrpcApi,
  admit: Admit,
  destroyConnection: (peer: string) => void,
): Subscribers {
  const { maxSubscribers = MAX_SUBSCRIBERS } = api.config
  const readPage = createSingleFlightPages(api.db, ({ event }) => toWireEvent(event))
  const calls = new Map<AbortController, Promise<void>>()
  let subscribers = 0

  function count(change: 1 | -1): void {
    subscribers += change
    api.metrics?.subscribed(subscribers)
  }

  async function run(call: SubscribeCall, signal: AbortSignal): Promise<void> {
    try {
      await admit(call)
      if (subscribers >= maxSubscribers) throw new PlazaError('unavailable', 'too many subscribers')
      count(1)
      try {
        await streamEvents(call, api, readPage, signal)
      } catch (error) {
        if (!call.cancelled)
          await endCall(call, signal.aborted ? shuttingDownError() : error, api, destroyConnection)
      } finally {
        count(-1)
      }
    } catch (refusal) {
      if (!call.cancelled) await endCall(call, refusal, api, destroyConnection)
    }
  }

  return {
    serve(call) {
      const controller = new AbortController()
      call.on('cancelled', () => controller.abort())
      const running = run(call, controller.signal).finally(() => calls.delete(controller))
      calls.set(controller, running)
    },
    async close() {
      for (const controller of calls.keys()) controller.abort()
      await Promise.all(calls.values())
    },
  }
}

function shuttingDownError(): PlazaError {
  return new PlazaError('unavailable', 'the server is shutting down: subscribe again from the next event')
}

async function streamEvents(
  call: SubscribeCall,
  api: HubGrpcApi,
  readPage: ReadStreamPage<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const subscription = await subscriptionOf(decodeRequest('subscribe', call.request), api)
  // A subscriber is told that it is one before there is an event.
  call.sendMetadata(new Metadata())
  const follower = { readPage, tail: api.tail }
  for await (const { events } of followLog(follower, subscription, signal)) {
    for (const event of events) {
      if (!call.write(event.encoded)) await waitUntilSent(call, event, api, signal)
    }
    if (events.length > 0) api.metrics?.eventsSent(events.length)
  }
  signal.throwIfAborted()
}

/** No types are all of them: the reference node then sends none, and subscribers to nothing there are not. */
async function subscriptionOf(
  { eventTypes, fromId, shardIndex }: RequestOf<'subscribe'>,
  { db, config }: HubGrpcApi,
): Promise<Subscription> {
  const shards = requestedShards(shardIndex, config.shards)
  const types = eventTypes.map((type) => enumValueOf(type, hubEventTypeNames, 'event_types'))
  const filter = types.length > 0 ? { fids: null, types: [...new Set(types)] } : null
  if (fromId !== undefined) return { ranges: shards.map((shard) => openEndedRange(shard, fromId)), filter }
  const ends = await readLogEnds(db, shards)
  return { ranges: ends.map(({ shard, lastId }) => openEndedRange(shard, lastId + 1)), filter }
}

/**
 * Waits until what was written is on its way.
 *
 * @throws PlazaError `unavailable` for a subscriber that takes nothing for too long.
 */
async function waitUntilSent(
  call: SubscribeCall,
  last: StreamEvent<Buffer>,
  { config, log }: HubGrpcApi,
  signal: AbortSignal,
): Promise<void> {
  const { stallTimeoutMs: timeoutMs } = config
  if (await waitForDrain(call, timeoutMs, signal)) return
  signal.throwIfAborted()
  log.info(
    { peer: call.getPeer(), shard: last.shard, lastId: last.id },
    'let go a subscriber that took nothing',
  )
  throw new PlazaError(
    'unavailable',
    `nothing was taken for ${timeoutMs} ms: subscribe again from id ${last.id + 1} of shard ${last.shard}`,
  )
}

/** The last word. A subscriber that does not take it either, in as long a time, is cut off. */
async function endCall(
  call: SubscribeCall,
  cause: unknown,
  { log, config }: HubGrpcApi,
  destroyConnection: (peer: string) => void,
): Promise<void> {
  const peer = call.getPeer()
  // Said by gRPC's server of calls that have ended in whatever way.
  const ended = new Promise<void>((resolve) => call.on('cancelled', () => resolve()))
  call.emit('error', statusOf(cause, 'subscribe', log))
  const timer = setTimeout(() => destroyConnection(peer), config.stallTimeoutMs)
  await ended
  clearTimeout(timer)
}
