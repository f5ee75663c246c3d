import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js'
import { UpstreamFailure } from './upstream-failure.js'
import { type EventHead, readEventHead } from './wire-page.js'

/** An event of an upstream, as it came. */
export interface UpstreamEvent extends EventHead {
  readonly bytes: Buffer
}

/** Some events, in the order in which they came; none when nothing has come for a while. */
export interface EventBatch {
  readonly events: readonly UpstreamEvent[]
  /** Whether more have arrived already. */
  readonly hasMore: boolean
}

/** Most events of a batch: those of one transaction. */
const BATCH_EVENTS = 1000
/** Events that wait beyond this, or are larger together, stay in the network until there is room. */
const MAX_BUFFERED = { events: 4_000, bytes: 16 * 1024 * 1024 }

/**
 * The events of a subscription in batches: whatever has arrived when the reader comes back. A reader that is slow
 * makes the upstream wait, not this process grow.
 *
 * @throws UpstreamFailure when the stream breaks. It ends without one only when the upstream ends it.
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
