import { setMaxListeners } from 'node:events'
import { HubEventType, HubServiceService } from '@farcaster/hub-nodejs'
import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js'
import { type EventBatch, eventBatches, type UpstreamEvent } from './event-stream.js'
import { UpstreamFailure } from './upstream-failure.js'
import { readEventHead, readPage } from './wire-page.js'

type Service = typeof HubServiceService
type RequestOf<Name extends keyof Service> = Parameters<Service[Name]['requestSerialize']>[0]

/** A gRPC client of one upstream node (docs/protocol.md §2.5). Returns undecoded bytes. */
export interface UpstreamClient {
  /** `host:port`: the name of its cursors. */
  readonly address: string
  /**
   * Calls a method and returns the bytes of the response.
   *
   * @throws UpstreamFailure
   */
  call<Name extends keyof Service>(
    name: Name,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): Promise<Buffer>
  /**
   * Yields events of a shard from an id on, then live ones, until the signal or the upstream ends the stream.
   */
  subscribe(subscription: Subscription, signal: AbortSignal): AsyncGenerator<EventBatch>
  /** Reads one page of events with `from <= id < stop`. */
  events(range: EventRange, signal?: AbortSignal): Promise<UpstreamEvent[]>
  close(): void
}

/** The parameters of a subscription. */
export interface Subscription {
  readonly shard: number
  readonly fromId: number
  /** Without events for this long, an empty batch is yielded. */
  readonly idleMs: number
}

/** A range of the log of an upstream. */
export interface EventRange {
  readonly shard: number
  readonly from: number
  readonly stop?: number
  readonly limit: number
  /** Highest id first. */
  readonly reverse?: boolean
}

/** Slower list calls are repeated with smaller pages. */
const CALL_TIMEOUT_MS = 30_000
/** A page of 1,000 messages of the largest size. */
const MAX_RESPONSE_BYTES = 80 * 1024 * 1024
/** A connection without an answer for the sum of both counts as dead, even when idle. */
const KEEPALIVE_MS = { every: 20_000, timeout: 10_000 }
/** The library's default waits up to two minutes between attempts. */
const RECONNECT_MS = { first: 100, last: 5_000 }

/** All types: the events of each block are counted, to detect missing ones (docs/protocol.md §1.1). */
const EVENT_TYPES = [
  HubEventType.MERGE_MESSAGE,
  HubEventType.PRUNE_MESSAGE,
  HubEventType.REVOKE_MESSAGE,
  HubEventType.MERGE_USERNAME_PROOF,
  HubEventType.MERGE_ON_CHAIN_EVENT,
  HubEventType.MERGE_FAILURE,
  HubEventType.BLOCK_CONFIRMED,
]

/** Creates a client. Sends nothing before the first call. */
export function createUpstreamClient(
  address: string,
  { tls, headers }: Pick<UpstreamSettings, 'tls' | 'headers'>,
): UpstreamClient {
  const client = new Client(address, tls ? credentials.createSsl() : credentials.createInsecure(), {
    'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
    'grpc.keepalive_time_ms': KEEPALIVE_MS.every,
    'grpc.keepalive_timeout_ms': KEEPALIVE_MS.timeout,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.first,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS.last,
    // Upstreams with one address and different headers must not share a connection.
    'grpc.use_local_subchannel_pool': 1,
  })
  const metadata = metadataOf(headers)

  function call<Name extends keyof Service>(
    name: Name,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    const { path, requestSerialize } = HubServiceService[name] as MethodDefinition<RequestOf<Name>, unknown>
    // Every running call adds a listener.
    if (signal) setMaxListeners(0, signal)
    return new Promise((resolve, reject) => {
      const deadline = performance.timeOrigin + performance.now() + CALL_TIMEOUT_MS
      const unaryCall = client.makeUnaryRequest(
        path,
        requestSerialize,
        passThrough,
        request,
        metadata,
        { deadline },
        (error: ServiceError | null, answer?: Buffer) => {
          signal?.removeEventListener('abort', cancel)
          if (error) reject(new UpstreamFailure(error.code, address, error.details))
          else resolve(answer ?? Buffer.alloc(0))
        },
      )
      const cancel = () => unaryCall.cancel()
      if (signal?.aborted) cancel()
      else signal?.addEventListener('abort', cancel)
    })
  }

  return {
    address,
    call,
    subscribe({ shard, fromId, idleMs }, signal) {
      const { path, requestSerialize } = HubServiceService.subscribe
      const request = { eventTypes: EVENT_TYPES, fromId, shardIndex: shard }
      const stream: ClientReadableStream<Buffer> = client.makeServerStreamRequest(
        path,
        requestSerialize,
        passThrough,
        request,
        metadata,
      )
      if (signal.aborted) stream.cancel()
      else signal.addEventListener('abort', () => stream.cancel(), { once: true })
      return eventBatches(stream, address, idleMs)
    },
    async events({ shard, from, stop, limit, reverse = false }, signal) {
      const request = { startId: from, stopId: stop, shardIndex: shard, pageSize: limit, reverse }
      const { entries } = readPage(await call('getEvents', request, signal))
      return entries.map((bytes) => ({ ...readEventHead(bytes), bytes }))
    },
    close: () => client.close(),
  }
}

function metadataOf(headers: ReadonlyMap<string, string>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of headers) metadata.set(name, value)
  return metadata
}

/** The library does not reuse the buffer. */
function passThrough(bytes: Buffer): Buffer {
  return bytes
}

/** The configured upstream nodes. */
export interface UpstreamSettings {
  /** `host:port` of each, in the order of use. */
  readonly addresses: readonly string[]
  readonly tls: boolean
  /** Headers of every call, such as keys of hosted nodes. Never logged. */
  readonly headers: ReadonlyMap<string, string>
  /** True for a node of the same operator: its signatures are not checked again. */
  readonly trusted: boolean
}

/** Reads a list of addresses. */
export function readAddresses(text: string): string[] {
  return [...new Set(text.split(',').map((each) => each.trim()))]
}

/** Reads headers: `name=value`, separated by commas. */
export function readHeaders(text: string): Map<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split(/=(.*)/s))
  return new Map(
    pairs.filter(([name]) => name !== '').map(([name = '', value = '']) => [name.toLowerCase(), value]),
  )
}
