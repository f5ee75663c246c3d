import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js'
import { UpstreamFailure } from './upstream-failure.js'
import { type EventHead, readEventHead } from './wire-page.js'

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
 * Yields the events of a subscription in batches of what has arrived. A slow reader slows the upstream and
 * does not fill memory.
 *
 * @throws UpstreamFailure if the stream breaks. It ends normally only if the upstream ends it.
 */
export async function* eventBatches(
  stream: ClientReadableStream<Buffer>,
  address: string,
  idleMs: number,
): AsyncGenerator<EventBatch> {
  const buffered: UpstreamEvent[] = []
  let bufferedBytes = 0
  let isEnded = false
  let failure: Error | null = null
  let wake = () => {}
  stream.on('data', (bytes: Buffer) => {
    try {
      buffered.push({ ...readEventHead(bytes), bytes })
    } catch (error) {
      failure = error as Error
      stream.cancel()
    }
    bufferedBytes += bytes.length
    if (buffered.length >= MAX_BUFFERED.events || bufferedBytes >= MAX_BUFFERED.bytes) stream.pause()
    wake()
  })
  stream.on('error', ({ code, details, message }: ServiceError) => {
    failure ??= new UpstreamFailure(code, address, details ?? message)
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
