import { get, type IncomingMessage } from 'node:http'

/** A block of a server-sent event stream. */
export interface SentEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly comment?: string
}

/** A client of a server-sent event stream that reads only on request. */
export class EventSource {
  /** Text that has arrived and was not returned yet. */
  readonly #blocks: SentEvent[] = []
  #text = ''
  #ended = false
  #onChange: () => void = () => {}

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => this.#take(chunk))
    response.on('close', () => {
      this.#ended = true
      this.#onChange()
    })
    response.on('error', () => {})
  }

  /** Connects, and resolves with the head of the response, whatever its status. */
  static open(url: string, headers: Record<string, string> = {}): Promise<EventSource> {
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => resolve(new EventSource(response))).on(
        'error',
        reject,
      )
    })
  }

  #take(chunk: string): void {
    const blocks = (this.#text + chunk).split('\n\n')
    this.#text = blocks.pop() ?? ''
    this.#blocks.push(...blocks.map(parseBlock))
    this.#onChange()
  }

  /** Returns the next block, also comments; null at the end of the stream. */
  async nextBlock(): Promise<SentEvent | null> {
    while (this.#blocks.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
    return this.#blocks.shift() ?? null
  }

  /** Returns the next block with data, but for heartbeats; null at the end of the stream. */
  async next(): Promise<SentEvent | null> {
    for (;;) {
      const block = await this.nextBlock()
      if (block === null || (block.data !== undefined && block.event !== 'heartbeat')) return block
    }
  }

  /** Returns the next blocks with data: `count`, or fewer at the end of the stream. */
  async take(count: number): Promise<SentEvent[]> {
    const events: SentEvent[] = []
    while (events.length < count) {
      const event = await this.next()
      if (event === null) break
      events.push(event)
    }
    return events
  }

  /** Closes the connection. */
  close(): void {
    this.response.destroy()
  }
}

function parseBlock(text: string): SentEvent {
  const block: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    block[line.slice(0, colon) || 'comment'] = line.slice(colon + 1).trim()
  }
  return block
}
