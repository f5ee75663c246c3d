import { setMaxListeners } from 'node:events'
import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js'
import { HubEventType } from '../../../protocol/definitions.js'
import { HubServiceService } from '../../../protocol/proto/generated/rpc.js'
import { readSent, UpstreamFailure } from './upstream-failure.js'
import { type EventHead, readEventHead, readPage } from './wire-page.js'

type Service = typeof HubServiceService
type RequestOf<Name extends keyof Service> = Parameters<Service[Name]['requestSerialize']>[0]

/** A gRPC client of one upstream node (docs/protocol.md §2.5). Returns undecoded bytes. */
export type UpstreamClient = ReturnType<typeof createUpstreamClient>

/** The parameters of a subscription. */
interface StreamOptions {
  readonly shard: number
  readonly fromId: number
  /** Without events for this long, an empty batch is yielded. */
  readonly idleMs: number
  /**
   * Called with the id to continue from if the log of the upstream went back (docs/clusters.md), before the failure of the
   * stream is thrown: a reader that fails first never gets that.
   */
  readonly onLogReset?: (nextId: number) => void
}

/** A range of the log of an upstream. */
interface EventRange {
  readonly shard: number
  readonly from: number
  readonly stop?: number
  readonly limit: number
  /** Highest id first. */
  readonly reverse?: boolean
}

/** Slower list calls are repeated with smaller pages. */
const CALL_TIMEOUT_MS = 30_000
const CHANNEL = {
  // A page of 1,000 messages of the largest size.
  'grpc.max_receive_message_length': 80 * 1024 * 1024,
  // A connection without an answer for the sum of both counts as dead, even when idle.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // The library's default waits up to two minutes between attempts.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 5_000,
  // Upstreams with one address and different headers must not share a connection.
  'grpc.use_local_subchannel_pool': 1,
}

/** All types: the events of each block are counted, to detect missing ones (docs/protocol.md §1.1). */
const EVENT_TYPES = [
  HubEventType.MERGE_MESSAGE,
  HubEventType.PRUNE_MESSAGE,
  HubEventType.REVOKE_MESSAGE,
  HubEventType.MERGE_USERNAME_PROOF,
  HubEventType.MERGE_ON_CHAIN_EVENT,
  HubEventType.CHANNEL_OWNER_CHANGE_HINT,
  HubEventType.MERGE_FAILURE,
  HubEventType.BLOCK_CONFIRMED,
]

/** Creates a client. Sends nothing before the first call. */
export function createUpstreamClient(
  address: string,
  { tls, headers }: { readonly tls: boolean; readonly headers: ReadonlyMap<string, string> },
) {
  const client = new Client(address, tls ? credentials.createSsl() : credentials.createInsecure(), CHANNEL)
  const metadata = new Metadata()
  for (const [name, value] of headers) metadata.set(name, value)

  /** Calls a method and returns the bytes of the response. @throws UpstreamFailure */
  function call<Name extends keyof Service>(
    name: Name,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    const { path, requestSerialize } = HubServiceService[name] as MethodDefinition<RequestOf<Name>, unknown>
    // Every running call adds a listener.
    if (signal) setMaxListeners(0, signal)
    return new Promise((resolve, reject) => {
      // The library compares it with this clock, which may be set while the process runs.
      const deadline = Date.now() + CALL_TIMEOUT_MS
      const unaryCall = client.makeUnaryRequest(
        path,
        requestSerialize,
        passThrough,
        request,
        metadata,
        { deadline },
        (error: ServiceError | null, answer?: Buffer) => {
          signal?.removeEventListener('abort', cancel)
          if (error) reject(toFailure(error, address))
          else resolve(answer ?? Buffer.alloc(0))
        },
      )
      const cancel = () => unaryCall.cancel()
      if (signal?.aborted) cancel()
      else signal?.addEventListener('abort', cancel)
    })
  }

  return {
    /** `host:port`: the name of its cursors. */
    address,
    call,
    /** Yields events of a shard from an id on, then live ones, until the signal or the upstream ends the stream. */
    subscribe(options: StreamOptions, signal: AbortSignal): AsyncGenerator<EventBatch> {
      const { shard, fromId } = options
      const { path, requestSerialize } = HubServiceService.subscribe
      const stream: ClientReadableStream<Buffer> = client.makeServerStreamRequest(
        path,
        requestSerialize,
        passThrough,
        { eventTypes: EVENT_TYPES, fromId, shardIndex: shard },
        metadata,
      )
      if (signal.aborted) stream.cancel()
      else signal.addEventListener('abort', () => stream.cancel(), { once: true })
      return eventBatches(stream, address, options)
    },
    /** Reads one page of events with `from <= id < stop`. */
    async events(
      { shard, from, stop, limit, reverse = false }: EventRange,
      signal?: AbortSignal,
    ): Promise<UpstreamEvent[]> {
      const request = { startId: from, stopId: stop, shardIndex: shard, pageSize: limit, reverse }
      const answer = await call('getEvents', request, signal)
      return readSent(address, () => readEvents(answer))
    },
    close: () => client.close(),
  }
}

/** Splits a page of events. @throws Error if it is malformed. */
function readEvents(page: Buffer): UpstreamEvent[] {
  return readPage(page).entries.map((bytes) => ({ ...readEventHead(bytes), bytes }))
}

/** The code of the hub is in the metadata of its refusal, and in front of its text (docs/protocol.md §1.6). */
function toFailure({ code, details, metadata }: ServiceError, address: string): UpstreamFailure {
  const [named] = metadata?.get('x-err-code') ?? []
  const errorCode = named?.toString() ?? /^(bad_request\.\w+)\//.exec(details)?.[1] ?? null
  return new UpstreamFailure(code, address, details, errorCode)
}

/** The library does not reuse the buffer. */
function passThrough(bytes: Buffer): Buffer {
  return bytes
}

/** An undecoded event of an upstream. */
export interface UpstreamEvent extends EventHead {
  readonly bytes: Buffer
}

/** Events in the order of arrival; empty if none came for a while. */
export interface EventBatch {
  readonly events: readonly UpstreamEvent[]
  /** True if more have arrived. */
  readonly hasMore: boolean
}

/** Most events of a batch, like a transaction of the hub. */
const BATCH_EVENTS = 1000
/** Above this number or size the stream pauses, and further events stay in the network. */
const MAX_BUFFERED = { events: 4_000, bytes: 16 * 1024 * 1024 }

/**
 * Yields events in batches of what has arrived. A slow reader slows the upstream and does not fill memory.
 * @throws UpstreamFailure if the stream breaks. It ends normally only if the upstream ends it.
 */
async function* eventBatches(
  stream: ClientReadableStream<Buffer>,
  address: string,
  { idleMs, onLogReset }: StreamOptions,
): AsyncGenerator<EventBatch> {
  const buffered: UpstreamEvent[] = []
  let bufferedBytes = 0
  let isEnded = false
  let failure: Error | null = null
  let wake = () => {}
  stream.on('data', (bytes: Buffer) => {
    try {
      buffered.push({ ...readSent(address, () => readEventHead(bytes)), bytes })
    } catch (error) {
      failure = error as Error
      stream.cancel()
    }
    bufferedBytes += bytes.length
    if (buffered.length >= MAX_BUFFERED.events || bufferedBytes >= MAX_BUFFERED.bytes) stream.pause()
    wake()
  })
  stream.on('error', ({ code, details, message, metadata }: ServiceError) => {
    failure ??= new UpstreamFailure(code, address, details ?? message)
    const nextId = nextEventIdOf(metadata)
    if (nextId !== null) onLogReset?.(nextId)
    isEnded = true
    wake()
  })
  stream.on('end', () => {
    isEnded = true
    wake()
  })
  try {
    for (;;) {
      if (buffered.length > 0) {
        const events = buffered.splice(0, BATCH_EVENTS)
        bufferedBytes -= events.reduce((sum, { bytes }) => sum + bytes.length, 0)
        if (stream.isPaused()) stream.resume()
        yield { events, hasMore: buffered.length > 0 }
      } else if (isEnded) {
        if (failure !== null) throw failure
        return
      } else {
        const isIdle = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(true), idleMs)
          wake = () => {
            clearTimeout(timer)
            resolve(false)
          }
        })
        if (isIdle) yield { events: [], hasMore: false }
      }
    }
  } finally {
    stream.cancel()
  }
}

/** The id to continue from when the log of the upstream went back; null when it did not. */
function nextEventIdOf(metadata: Metadata | undefined): number | null {
  const [text] = metadata?.get('x-next-event-id') ?? []
  const id = Number(text)
  return text !== undefined && Number.isSafeInteger(id) && id >= 0 ? id : null
}
