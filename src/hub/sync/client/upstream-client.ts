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

/** One upstream node, over the gRPC of the hub (docs/protocol.md §2.5). Answers are handed over as the bytes that came. */
export interface UpstreamClient {
  /** `host:port`: names its cursors. */
  readonly address: string
  /**
   * The bytes of the answer to a call.
   *
   * @throws UpstreamFailure
   */
  call<Name extends keyof Service>(
    name: Name,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): Promise<Buffer>
  /** Events of a shard from an id on, then live, until the signal or the upstream ends it. */
  subscribe(subscription: Subscription, signal: AbortSignal): AsyncGenerator<EventBatch>
  /** Events with `from <= id < stop`, at most a page of them. */
  events(range: EventRange, signal?: AbortSignal): Promise<UpstreamEvent[]>
  close(): void
}

/** What a stream of events is to hold. */
export interface Subscription {
  readonly shard: number
  readonly fromId: number
  /** When nothing comes for so long, there is an empty batch. */
  readonly idleMs: number
}

/** What is asked of the log of an upstream. */
export interface EventRange {
  readonly shard: number
  readonly from: number
  readonly stop?: number
  readonly limit: number
  /** Highest id first. */
  readonly reverse?: boolean
}

/** A list call that takes longer is tried again with smaller pages. */
const CALL_TIMEOUT_MS = 30_000
/** A page of a thousand messages of the largest size. */
const MAX_RESPONSE_BYTES = 80 * 1024 * 1024
/** A connection on which nothing comes back for the sum of both is taken for dead, also while nothing happens. */
const KEEPALIVE_MS = { every: 20_000, timeout: 10_000 }
/** The library waits up to two minutes between attempts otherwise. */
const RECONNECT_MS = { first: 100, last: 5_000 }

/** All types: every event of a block is counted (docs/protocol.md §1.1), so that one that is missing is noticed. */
const EVENT_TYPES = [
  HubEventType.MERGE_MESSAGE,
  HubEventType.PRUNE_MESSAGE,
  HubEventType.REVOKE_MESSAGE,
  HubEventType.MERGE_USERNAME_PROOF,
  HubEventType.MERGE_ON_CHAIN_EVENT,
  HubEventType.MERGE_FAILURE,
  HubEventType.BLOCK_CONFIRMED,
]

/** Opens a client. Nothing is sent before the first call. */
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
    // Two upstreams of one address and different headers must not share a connection.
    'grpc.use_local_subchannel_pool': 1,
  })
  const metadata = metadataOf(headers)

  function call<Name extends keyof Service>(
    name: Name,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    const { path, requestSerialize } = HubServiceService[name] as MethodDefinition<RequestOf<Name>, unknown>
    // Every call that is under way listens to it.
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

/** The library reuses nothing of the buffer it hands over. */
function passThrough(bytes: Buffer): Buffer {
  return bytes
}

/** Where and how upstream nodes are asked. */
export interface UpstreamSettings {
  /** `host:port` of each, in the order in which they are tried. */
  readonly addresses: readonly string[]
  readonly tls: boolean
  /** Sent with every call: keys of hosted nodes. Never logged. */
  readonly headers: ReadonlyMap<string, string>
  /** Whether it is a node of one's own, whose signatures are not checked again. */
  readonly trusted: boolean
}

/** A list of addresses as the configuration has it. */
export function readAddresses(text: string): string[] {
  return [...new Set(text.split(',').map((each) => each.trim()))]
}

/** Headers as the configuration has them: `name=value`, separated by commas. */
export function readHeaders(text: string): Map<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split(/=(.*)/s))
  return new Map(
    pairs.filter(([name]) => name !== '').map(([name = '', value = '']) => [name.toLowerCase(), value]),
  )
}
