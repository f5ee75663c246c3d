import { HubEventType } from '../../../protocol/definitions.js'
import { blockOf, eventId } from '../../log/hub-event.js'

/** A range of event ids: `from` inclusive, `stop` exclusive. */
export interface IdRange {
  readonly from: number
  readonly stop: number
}

/** The events of a block that have arrived. */
interface Block {
  /** Number of events of the block, from its first event (docs/protocol.md §1.1); null until it arrives. */
  total: number | null
  readonly seen: Set<number>
  /** All events with a lower sequence have arrived. */
  contiguous: number
  /** Missing events were requested: those that did not arrive do not exist. */
  isResolved: boolean
}

/** Blocks whose events are remembered, to detect late and repeated ones. */
const RETAINED_BLOCKS = 64
/** After so many requests without a missing event, the upstream counts differently: no more requests. */
const MAX_EMPTY_FETCHES = 8

/** Detects missing and repeated events: block numbers have no gaps, and blocks state their size. */
export class GapTracker {
  readonly #blocks = new Map<number, Block>()
  /** All lower blocks are complete. */
  #firstIncomplete: number
  #highest: number
  #emptyFetches = 0

  /** @param startId First expected event, the first of its block. */
  constructor(startId: number) {
    this.#firstIncomplete = blockOf(startId)
    this.#highest = this.#firstIncomplete - 1
  }

  /** Adds an event. Returns false if it arrived before. `total` reads the size of its block. */
  add(id: number, type: number, total: () => number): boolean {
    const number = blockOf(id)
    if (number < this.#firstIncomplete - RETAINED_BLOCKS) return true
    const block = this.#block(number)
    const sequence = id - eventId(number, 0)
    if (block.seen.has(sequence)) return false
    block.seen.add(sequence)
    if (type === HubEventType.BLOCK_CONFIRMED) block.total = total()
    this.#highest = Math.max(this.#highest, number)
    return true
  }

  /** Expects the event of this id and all before it. */
  expect(id: number): void {
    this.#highest = Math.max(this.#highest, blockOf(id) + 1)
  }

  /** Returns the missing events before the newest block. Each range is returned once. */
  missingRanges(): IdRange[] {
    const ranges: { from: number; stop: number }[] = []
    for (let number = this.#firstIncomplete; number < this.#highest; number += 1) {
      const block = this.#block(number)
      if (isComplete(block)) continue
      block.isResolved = true
      const from = eventId(number, 0)
      const last = ranges.at(-1)
      if (last?.stop === from) last.stop = eventId(number + 1, 0)
      else ranges.push({ from, stop: eventId(number + 1, 0) })
    }
    return this.isReliable ? ranges : []
  }

  /** True if the upstream numbers and counts events by the protocol, so that gaps are detectable. */
  get isReliable(): boolean {
    return this.#emptyFetches < MAX_EMPTY_FETCHES
  }

  /** Records how many missing events a request found. */
  recordFound(events: number): void {
    this.#emptyFetches = events > 0 ? 0 : this.#emptyFetches + 1
  }

  /** Returns the id up to which all events have arrived or do not exist. Forgets old blocks. */
  advance(): number {
    let block = this.#blocks.get(this.#firstIncomplete)
    while (block && isComplete(block)) {
      this.#blocks.delete(this.#firstIncomplete - RETAINED_BLOCKS)
      this.#firstIncomplete += 1
      block = this.#blocks.get(this.#firstIncomplete)
    }
    if (!block) return eventId(this.#firstIncomplete, 0)
    while (block.seen.has(block.contiguous)) block.contiguous += 1
    return eventId(this.#firstIncomplete, block.contiguous)
  }

  #block(number: number): Block {
    let block = this.#blocks.get(number)
    if (!block) {
      block = { total: null, seen: new Set(), contiguous: 0, isResolved: false }
      this.#blocks.set(number, block)
    }
    return block
  }
}

function isComplete({ total, seen, isResolved }: Block): boolean {
  return isResolved || (total !== null && seen.size >= total)
}
