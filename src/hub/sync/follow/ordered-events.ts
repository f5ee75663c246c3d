import { status } from '@grpc/grpc-js'
import { HubEvent, HubEventType } from '../../../protocol/definitions.js'
import type { UpstreamClient, UpstreamEvent } from '../client/upstream-client.js'
import { readSent, UpstreamFailure } from '../client/upstream-failure.js'
import type { StartCursor } from './cursors.js'
import { GapTracker } from './gap-tracker.js'

/** The log of an upstream shard. */
interface LogSource {
  readonly client: UpstreamClient
  readonly shard: number
  readonly start: StartCursor
  readonly signal: AbortSignal
}

/** Events in the order of the log. */
interface OrderedPart {
  readonly events: readonly UpstreamEvent[]
  /** Number of events that the stream had left out. */
  readonly found: number
  /** True if more follow, which are not read yet. */
  readonly hasMore: boolean
}

/** An event that waits. Without an id it has the position of the one before it, and waits for the same. */
interface WaitingEvent {
  readonly event: UpstreamEvent
  readonly position: number
  /** Time of the block that it confirms, in Farcaster seconds; 0 for other events. */
  readonly blockTime: number
}

/** Id of all events that a node of the network streams without being in its log: those of gasless keys. */
export const NO_ID = 0
/** Events per request for missing ones. */
const PAGE_EVENTS = 1000

/** Puts the events of a stream into the order of the log: each waits for missing ones before it, which are requested. */
export class OrderedEvents {
  readonly #source: LogSource
  readonly #gapTracker: GapTracker
  readonly #waiting: WaitingEvent[] = []
  /** Highest id that has arrived; lower than all before the first. */
  #highestId = -1
  #nextId: number
  #blockTime: number

  constructor(source: LogSource) {
    this.#source = source
    this.#gapTracker = new GapTracker(source.start.fromId)
    this.#nextId = source.start.nextId
    this.#blockTime = source.start.blockTime
  }

  /** All events with a lower id were returned, or do not exist. */
  get nextId(): number {
    return this.#nextId
  }

  /** Time of the newest block of which events were returned: Farcaster seconds; 0 if unknown. */
  get blockTime(): number {
    return this.#blockTime
  }

  /**
   * Adds events of the stream, and yields those that have no gap before them. What is missing may be a log of days: it is
   * read page by page, and each page is yielded before the next is read. With the id of the last event of the log, what is missing
   * up to it is read as well. @throws UpstreamFailure
   */
  async *read(events: readonly UpstreamEvent[], endId: number | null): AsyncGenerator<OrderedPart> {
    const { client, shard, signal } = this.#source
    for (const event of events) this.#add(event)
    let found = 0
    for (const range of this.#gapTracker.missingRanges(endId)) {
      let foundInRange = 0
      for (let next = range.from; next < range.stop; ) {
        const page = await client.events({ shard, from: next, stop: range.stop, limit: PAGE_EVENTS }, signal)
        const added = page.filter((event) => this.#add(event)).length
        foundInRange += added
        found += added
        const last = page.at(-1)
        if (last !== undefined && last.id < next)
          throw new UpstreamFailure(
            status.INTERNAL,
            client.address,
            'it answers with events before those asked for',
          )
        next = last === undefined ? range.stop : last.id + 1
        this.#gapTracker.resolve(last === undefined ? this.#resolvableStop(range.stop, endId) : next)
        if (added > 0) {
          yield { events: this.#takeOrdered(), found, hasMore: true }
          found = 0
        }
      }
      this.#gapTracker.recordFound(range, foundInRange)
    }
    yield { events: this.#takeOrdered(), found, hasMore: false }
  }

  /**
   * Returns events that wait and have no id, with those before them, despite the gap: the stream has ended, and the log does
   * not have them. What is missing follows with the next stream.
   */
  takeUnlogged(): UpstreamEvent[] {
    this.#sortWaiting()
    return this.#takeFirst(this.#waiting.findLastIndex(({ event }) => event.id === NO_ID) + 1)
  }

  /** Adds an event until all before it have arrived. Returns false for a repeated one. */
  #add(event: UpstreamEvent): boolean {
    const { id, type } = event
    const confirmed = type === HubEventType.BLOCK_CONFIRMED ? this.#readConfirmation(event) : null
    const isNew = id === NO_ID || this.#gapTracker.add(id, confirmed?.totalEvents ?? null)
    if (id !== NO_ID) this.#highestId = Math.max(this.#highestId, id)
    const position = id === NO_ID ? this.#highestId : id
    if (isNew) this.#waiting.push({ event, position, blockTime: confirmed?.timestamp ?? 0 })
    return isNew
  }

  /**
   * Returns the id up to which a range, read to its end, shows what exists. A node behind a balancer may be behind the one
   * that named the last event: what neither it nor the stream has shown may exist.
   */
  #resolvableStop(stop: number, endId: number | null): number {
    return endId !== null && this.#highestId < endId ? Math.min(stop, this.#highestId) : stop
  }

  #takeOrdered(): UpstreamEvent[] {
    const end = this.#gapTracker.advance()
    // Blocks before the start are read again, but they are merged.
    this.#nextId = Math.max(end, this.#source.start.nextId)
    this.#sortWaiting()
    const after = this.#gapTracker.isReliable
      ? this.#waiting.findIndex(({ position }) => position >= end)
      : -1
    return this.#takeFirst(after < 0 ? this.#waiting.length : after)
  }

  #sortWaiting(): void {
    // Stable: an event without an id stays behind the one that came before it.
    this.#waiting.sort((a, b) => a.position - b.position)
  }

  #takeFirst(count: number): UpstreamEvent[] {
    return this.#waiting.splice(0, count).map(({ event, blockTime }) => {
      this.#blockTime = Math.max(this.#blockTime, blockTime)
      return event
    })
  }

  /** Returns the time of a block and its number of events. @throws UpstreamFailure */
  #readConfirmation({ bytes }: UpstreamEvent): { timestamp: number; totalEvents: number } {
    const event = readSent(this.#source.client.address, () => HubEvent.decode(bytes))
    const { timestamp = 0, totalEvents = 1 } = event.blockConfirmedBody ?? {}
    return { timestamp, totalEvents }
  }
}
