import { Metadata, type ServerWritableStream } from '@grpc/grpc-js'
import { PlazaError } from '../../../platform/errors.js'
import { limits } from '../../../platform/limits/limits.js'
import { createSlots } from '../../../platform/limits/slots.js'
import { waitForDrain } from '../../../platform/process/wait-for-drain.js'
import {
  createSingleFlightPages,
  followLog,
  type ReadStreamPage,
  rangesFrom,
  type StreamEvent,
  type Subscription,
} from '../../log/follow.js'
import { hubEventTypeNames } from '../json/enum-names.js'
import { requestedShards } from '../refusals.js'
import { type Admit, type HubGrpcApi, statusOf } from './grpc-api.js'
import { decodeRequest, enumValueOf, type GrpcRequest } from './request.js'
import { toWireEvent } from './wire-bytes.js'

const SHUTDOWN = 'the server is shutting down: subscribe again from the next event'

/** A call that is answered with encoded events. */
type SubscribeCall = ServerWritableStream<Buffer, Buffer>

/**
 * Serves the log as a stream (docs/protocol.md §2.5). Subscribers pull: the next page is read when the one
 * before it was taken. So a slow subscriber holds one page in memory and delays no other, and nothing is
 * queued.
 *
 * @param destroyConnection Ends a connection at once, by its peer.
 */
export function createSubscribers(api: HubGrpcApi, admit: Admit, destroyConnection: (peer: string) => void) {
  const { config, metrics } = api
  const readPage = createSingleFlightPages(api.db, ({ event }) => toWireEvent(event))
  const slots = createSlots(limits.subscribers, config.maxSubscribers, metrics?.subscribed)
  const calls = new Map<AbortController, Promise<void>>()

  async function run(call: SubscribeCall, signal: AbortSignal): Promise<void> {
    let freeSlot = () => {}
    try {
      await admit(call)
      freeSlot = slots.take()
      await streamEvents(call, api, readPage, signal)
    } catch (error) {
      const cause = signal.aborted ? new PlazaError('unavailable', SHUTDOWN) : error
      if (!call.cancelled) await endCall(call, cause, api, destroyConnection)
    } finally {
      freeSlot()
    }
  }

  return {
    /** Serves one call until it ends. */
    serve(call: SubscribeCall): void {
      const controller = new AbortController()
      call.on('cancelled', () => controller.abort())
      const running = run(call, controller.signal).finally(() => calls.delete(controller))
      calls.set(controller, running)
    },
    /** Ends all calls with UNAVAILABLE; resolves when the last one has ended. */
    async close(): Promise<void> {
      for (const controller of calls.keys()) controller.abort()
      await Promise.all(calls.values())
    },
  }
}

async function streamEvents(
  call: SubscribeCall,
  api: HubGrpcApi,
  readPage: ReadStreamPage<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const subscription = await subscriptionOf(decodeRequest('subscribe', call.request), api)
  // Confirms the subscription before there is an event.
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

/** No types are all types. The reference node then sends nothing, which no client can want. */
async function subscriptionOf(
  { eventTypes = [], fromId, shardIndex }: GrpcRequest,
  { db, config }: HubGrpcApi,
): Promise<Subscription> {
  const shards = requestedShards(shardIndex, config.shards)
  const types = eventTypes.map((type) => enumValueOf(type, hubEventTypeNames, 'event_types'))
  const filter = types.length > 0 ? { fids: null, types: [...new Set(types)] } : null
  return { ranges: await rangesFrom(db, shards, fromId ?? null), filter }
}

/** Waits until the client has taken what was written. @throws PlazaError `unavailable` if it stalls. */
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
    'ended the subscription of a client that took nothing',
  )
  throw new PlazaError(
    'unavailable',
    `nothing was taken for ${timeoutMs} ms: subscribe again from id ${last.id + 1} of shard ${last.shard}`,
  )
}

/** Ends a call with a status. A client that does not take it in time either loses its connection. */
async function endCall(
  call: SubscribeCall,
  cause: unknown,
  { log, config }: HubGrpcApi,
  destroyConnection: (peer: string) => void,
): Promise<void> {
  const peer = call.getPeer()
  // The gRPC library emits this for every call that has ended, however it did.
  const ended = new Promise<void>((resolve) => call.on('cancelled', () => resolve()))
  call.emit('error', statusOf(cause, 'subscribe', log))
  const timer = setTimeout(() => destroyConnection(peer), config.stallTimeoutMs)
  await ended
  clearTimeout(timer)
}
