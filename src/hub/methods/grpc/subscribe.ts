import { Metadata, type ServerWritableStream } from '@grpc/grpc-js'
import { PlazaError } from '../../../platform/errors.js'
import { limits } from '../../../platform/limits/limits.js'
import { createSlots } from '../../../platform/limits/slots.js'
import { nextTurn } from '../../../platform/process/turns.js'
import { waitForDrain } from '../../../platform/streams/wait-for-drain.js'
import { HASH_LENGTH } from '../../log/block-history.js'
import {
  createSingleFlightPages,
  followLog,
  type LogReader,
  type LogSubscription,
  rangesFrom,
  type StreamEvent,
  withHistories,
} from '../../log/follow.js'
import { blockOf } from '../../log/hub-event.js'
import type { ShardRange } from '../../log/log-range.js'
import { LogResetError } from '../../log/log-reset.js'
import { hubEventTypeNames } from '../json/enum-names.js'
import { invalid, requestedShards } from '../refusals.js'
import { type Admit, type HubGrpcApi, statusOf } from './grpc-api.js'
import { decodeRequest, enumValueOf } from './request.js'
import { toWireEvent } from './wire-bytes.js'

const SHUTDOWN = 'the server is shutting down: subscribe again from the next event'

/** Events that are written in one turn of the event loop: the library takes 20 µs for each. */
const SLICE_EVENTS = 25

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
  const readPage = createSingleFlightPages(api.db, (events) => events.map(({ event }) => toWireEvent(event)))
  const slots = createSlots(limits.subscribers, limits.subscribersOfCaller, {
    max: config.maxSubscribers,
    maxOfCaller: config.maxSubscribersOfCaller,
    onChange: metrics?.subscribed,
  })
  const calls = new Map<AbortController, Promise<void>>()

  async function run(call: SubscribeCall, signal: AbortSignal): Promise<void> {
    let freeSlot = () => {}
    try {
      const { nameCaller } = await admit(call)
      const caller = await nameCaller()
      freeSlot = slots.take(caller)
      const catchUp = (aborted: AbortSignal) => api.workLimits.catchUp.enter(caller, aborted)
      await streamEvents(call, api, { readPage, tail: api.tail, catchUp }, signal)
    } catch (error) {
      const cause = signal.aborted ? new PlazaError('unavailable', SHUTDOWN) : error
      if (cause instanceof LogResetError) api.tail.reportReset('grpc subscribers', cause.reset, 'client')
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
  follower: LogReader<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const subscription = await subscriptionOf(call, api)
  // Confirms the subscription before there is an event.
  call.sendMetadata(new Metadata())
  for await (const { events, reset } of followLog(follower, subscription, signal)) {
    if (reset) throw new LogResetError(reset)
    for (const [index, event] of events.entries()) {
      if (index > 0 && index % SLICE_EVENTS === 0) await nextTurn()
      if (!call.write(event.encoded)) await waitUntilSent(call, event, api, signal)
    }
    if (events.length > 0) api.metrics?.eventsSent(events.length)
  }
  signal.throwIfAborted()
}

/** Metadata in which a client may send the hash of the block of its last event, which `from_id` follows. */
const BLOCK_HASH_METADATA = 'x-block-hash'

/** No types are all types. The reference node then sends nothing, which no client can want. */
async function subscriptionOf(
  { request, metadata }: Pick<SubscribeCall, 'request' | 'metadata'>,
  { db, tail, config }: HubGrpcApi,
): Promise<LogSubscription> {
  const { eventTypes = [], fromId, shardIndex } = decodeRequest('subscribe', request)
  const shards = requestedShards(shardIndex, config.shards)
  const types = eventTypes.map((type) => enumValueOf(type, hubEventTypeNames, 'event_types'))
  const filter = types.length > 0 ? { fids: null, types: [...new Set(types)] } : null
  const ranges = await rangesFrom(db, shards, fromId ?? null)
  const [hash] = metadata.get(BLOCK_HASH_METADATA)
  return { ranges: await withHistories(tail, hash ? [readUpTo(ranges, String(hash))] : ranges), filter }
}

/** The range of a client that knows the hash of the block which it has read last. */
function readUpTo([range, ...others]: readonly ShardRange[], text: string): ShardRange {
  const hash = text.replace(/^0x/, '').slice(0, HASH_LENGTH).toLowerCase()
  if (!/^[0-9a-f]{8,}$/.test(hash)) throw invalid(BLOCK_HASH_METADATA, 'is not a block hash in hex')
  if (others.length > 0) throw invalid(BLOCK_HASH_METADATA, 'needs shard_index')
  const height = blockOf(range!.from - 1)
  return height > 0 ? { ...range!, history: [{ height, hash }] } : range!
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
