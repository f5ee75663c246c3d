import type { StreamResponse } from '../../../platform/streams/stream-response.js'

/**
 * The server-sent events of one reader. Of a topic that sends values only the newest one waits for a reader that is slow: so
 * a stream holds as many values as it has topics, and the page of the log that is being sent.
 */
export class LiveStream {
  readonly #waiting = new Map<string, string>()
  #sending: Promise<void> = Promise.resolve()

  constructor(
    private readonly response: StreamResponse,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends a value of a topic, in the place of an older one that was not sent yet. */
  offer(topic: string, event: string, data: object): void {
    const isIdle = this.#waiting.size === 0
    this.#waiting.set(topic, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    if (isIdle) void this.#sendWaiting()
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.size > 0 && !this.signal.aborted) {
      await this.send(() => {
        const text = [...this.#waiting.values()].join('')
        this.#waiting.clear()
        return text
      })
    }
  }

  /** Sends a text once those before it were taken. */
  send(text: string | (() => string)): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      if (!this.signal.aborted) await this.response.send(typeof text === 'string' ? text : text())
    })
    return this.#sending
  }
}
