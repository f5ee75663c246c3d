import { setTimeout as sleep } from 'node:timers/promises'
import { decodeHubEvent } from '../../src/hub/log/hub-event.js'
import { readEvents, type StoredHubEvent } from '../../src/hub/log/read.js'
import { hubEventJson } from '../../src/hub/methods/json/hub-event.js'
import type { Database } from '../../src/platform/db/connection.js'
import { EventSource, type SentEvent } from '../event-source.js'

const RECONNECT_MS = 200

interface ReadEvent {
  json: string
  /** The log went back behind it: it may come again with other contents, or no more. */
  isRevoked: boolean
}

/** What a stream's reader has against the log. Every list is of event ids. */
export interface StreamDifferences {
  readonly missing: number[]
  readonly different: number[]
  readonly repeated: number[]
  readonly unknown: number[]
}

/** Reads the event stream as browsers do: it reconnects with the last id, and goes back where it is told to. */
export class StreamReader {
  readonly #events = new Map<number, ReadEvent>()
  readonly #repeated: number[] = []
  #lastId: string | undefined
  #source: EventSource | undefined
  #isStopped = false
  /** The positions that the server said to continue from, as the log went back, and the newest event then. */
  readonly #resets: { readonly nextId: number; readonly newestId: number }[] = []
  #connections = 0
  readonly #running: Promise<void>

  /** @param urls The servers, in turns. `firstId`: the first event that is asked for. */
  constructor(
    private readonly urls: readonly string[],
    private readonly firstId: number,
  ) {
    this.#running = this.#run()
  }

  /** Times that the server said that the log went back. */
  get resets(): number {
    return this.#resets.length
  }

  /** For the message of a failure. */
  describe(): string {
    return `resets ${JSON.stringify(this.#resets)}, newest ${this.#newestId()}, position ${this.#lastId}`
  }

  #newestId(): number {
    return Math.max(...this.#events.keys())
  }

  /** Closes the stream, and waits until its reader has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#source?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const url = this.urls[this.#connections++ % this.urls.length]!
      const headers = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId }
      const path = `/v1/events/stream?from_event_id=${this.firstId}`
      this.#source = await EventSource.open(`${url}${path}`, headers).catch(() => undefined)
      if (this.#source?.response.statusCode === 200) await this.#readAll(this.#source)
      this.#source?.close()
      await sleep(RECONNECT_MS)
    }
  }

  async #readAll(source: EventSource): Promise<void> {
    if (this.#isStopped) return
    for (let block = await source.nextBlock(); block; block = await source.nextBlock()) this.#take(block)
  }

  #take(block: SentEvent): void {
    if (block.event === 'log-reset') this.#goBack(block)
    else if (block.event === undefined && block.data !== undefined) this.#add(block.data)
    if (block.id !== undefined && block.event !== 'error') this.#lastId = block.id
  }

  #add(json: string): void {
    const { id } = JSON.parse(json) as { id: number }
    const known = this.#events.get(id)
    if (known !== undefined && !known.isRevoked) this.#repeated.push(id)
    this.#events.set(id, { json, isRevoked: false })
  }

  /** Events from the position on may be others now. */
  #goBack(block: SentEvent): void {
    const { nextEventId } = JSON.parse(block.data ?? '{}') as { nextEventId: number }
    this.#resets.push({ nextId: nextEventId, newestId: this.#newestId() })
    for (const [id, event] of this.#events) if (id >= nextEventId) event.isRevoked = true
  }

  /** Compares what was read with the log. */
  async compare(db: Database): Promise<StreamDifferences> {
    const log = new Map((await readLog(db, this.firstId)).map((stored) => [stored.id, stored]))
    const ids = [...log.keys()]
    const jsonOf = (id: number) => JSON.stringify(hubEventJson(log.get(id)!))
    return {
      missing: ids.filter((id) => !this.#events.has(id)),
      different: ids.filter((id) => this.#events.has(id) && this.#events.get(id)?.json !== jsonOf(id)),
      repeated: this.#repeated,
      unknown: [...this.#events]
        .filter(([id, { isRevoked }]) => !isRevoked && !log.has(id))
        .map(([id]) => id),
    }
  }
}

/** Reads the log from an event on. */
export async function readLog(db: Database, firstId: number): Promise<StoredHubEvent[]> {
  const events: StoredHubEvent[] = []
  let range = { shard: 1, from: firstId, stop: Number.MAX_SAFE_INTEGER }
  for (;;) {
    const page = await readEvents(db, [range], { limit: 5_000, reverse: false })
    events.push(...page.events)
    if (page.next === null) return events
    range = { ...range, from: page.next.id }
  }
}

/** The hash of the message that an event merged, `0x` and hex. */
export function mergedHash({ event }: StoredHubEvent): string | undefined {
  const { mergeMessageBody } = decodeHubEvent(event)
  const hash = mergeMessageBody?.message?.hash
  return hash && `0x${Buffer.from(hash).toString('hex')}`
}
