import { HubEventType } from '@farcaster/core'
import { blockOf, eventId } from '../../log/hub-event.js'

/** Ids of events: from the first up to, and without, the second. */
export interface IdRange {
  readonly from: number
  readonly stop: number
}

/** What has come of a block. */
interface Block {
  /** How many events it has, which the first of them tells (docs/protocol.md §1.1); null until then. */
  total: number | null
  readonly seen: Set<number>
  /** All events of a lower sequence have come. */
  contiguous: number
  /** What was missing has been asked for: what is not there now is nowhere. */
  isResolved: boolean
}

/** Blocks whose events are remembered, so that one that comes late or twice is known. */
const RETAINED_BLOCKS = 64
/** An upstream whose answers never held what was missing counts its events otherwise: it is asked no more. */
const MAX_EMPTY_FETCHES = 8

/**
 * Counts what comes of each block of a shard's log, so that nothing is lost in silence and nothing is merged twice:
 * blocks follow each other without a gap, and each says how many events it has.
 */
export class GapTracker {
  readonly #blocks = new Map<number, Block>()
  /** Every block below it is complete. */
  #firstIncomplete: number
  #highest: number
  #emptyFetches = 0

  /** @param startId The first event that is expected: the first of its block. */
  constructor(startId: number) {
    this.#firstIncomplete = blockOf(startId)
    this.#highest = this.#firstIncomplete - 1
  }

  /** Notes an event. False when it has come before. `total` is what a block says of its length. */
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

  /** There is an event of this id: it and all before it are expected. */
  expect(id: number): void {
    this.#highest = Math.max(this.#highest, blockOf(id) + 1)
  }

  /** What should have come before the newest block and has not. Each range is told once. */
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

  /** Whether the upstream numbers and counts its events as the protocol has it, so that what is missing shows. */
  get isReliable(): boolean {
    return this.#emptyFetches < MAX_EMPTY_FETCHES
  }

  /** Told how many events that had been missing were found. */
  recordFound(events: number): void {
    this.#emptyFetches = events > 0 ? 0 : this.#emptyFetches + 1
  }

  /** Everything below this id has come, or is nowhere. Forgets what is long past. */
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
