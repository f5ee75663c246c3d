import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { resultWithin } from '../process/pause.js'
import { waitForDrain } from './wait-for-drain.js'

/** Time that a slow reader has, when the stream ends, to take what was sent. */
const CLOSE_TIMEOUT_MS = 1_000

export interface StreamResponseOptions {
  readonly response: ServerResponse
  /** Aborts when the reader is gone, or takes nothing for the timeout. Whoever aborts it ends the stream. */
  readonly controller: AbortController
  readonly stallTimeoutMs: number
}

/** A response without an end, such as server-sent events, to a reader that may be slow. */
export class StreamResponse {
  constructor(private readonly options: StreamResponseOptions) {
    const { response, controller } = options
    response.on('close', () => controller.abort())
    response.on('error', () => controller.abort())
  }

  /** Sends a text, and resolves when the reader may be sent more. A reader that takes nothing for too long is let go. */
  async send(text: string): Promise<void> {
    const { response, controller, stallTimeoutMs } = this.options
    if (response.write(text)) return
    if (!(await waitForDrain(response, stallTimeoutMs, controller.signal))) controller.abort()
  }

  /** Sends a text that keeps proxies from closing the stream, unless the reader still has something to take. */
  heartbeat(text: string): void {
    const { response } = this.options
    if (!response.writableNeedDrain && !response.writableEnded) response.write(text)
  }

  /** Ends the stream, and closes the connection when a slow reader does not take the rest in time. */
  async close(): Promise<void> {
    const { response } = this.options
    if (response.destroyed) return
    const closed = once(response, 'close').catch(() => {})
    response.end()
    await resultWithin(CLOSE_TIMEOUT_MS, closed)
    response.destroy()
  }
}
