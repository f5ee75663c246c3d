import { blockOf, eventId } from '../../log/hub-event.js'

/** A range of event ids: `from` inclusive, `stop` exclusive. */
export interface IdRange {
  readonly from: number
  readonly stop: number
}

/** The events of a block that have arrived. */
interface Block {
  /**
   * Number of events of the block, from its first event (docs/protocol.md §1.1); null until it arrives. A node of the network also
   * counts events without an id, which its log does not have.
   */
  total: number | null
  readonly seen: Set<number>
  /** All events with a lower sequence have arrived. */
  contiguous: number
}

/** Blocks whose events are remembered, to detect late and repeated ones. */
export const RETAINED_BLOCKS = 64
/** Most requests in a row for numbers that do not exist. Then the upstream numbers differently: no more requests. */
const MAX_EMPTY_FETCHES = 8

/** Detects missing and repeated events: block numbers have no gaps, and blocks state their size. */
export class GapTracker {
  readonly #blocks = new Map<number, Block>()
  /** All lower blocks are complete. */
  #firstIncomplete: number
  #highest: number
  /** Missing events of lower blocks do not exist: they were requested. */
  #resolvedStop = 0
  #emptyFetches = 0

  /** @param startId First expected event, the first of its block. */
  constructor(startId: number) {
    this.#firstIncomplete = blockOf(startId)
    this.#highest = this.#firstIncomplete - 1
  }

  /** Adds an event, with the number of events of its block if it says that. Returns false if it arrived before. */
  add(id: number, total: number | null): boolean {
    const number = blockOf(id)
    if (number < this.#firstIncomplete - RETAINED_BLOCKS) return true
    const block = this.#block(number)
    const sequence = id - eventId(number, 0)
    if (block.seen.has(sequence)) return false
    block.seen.add(sequence)
    block.total ??= total
    this.#highest = Math.max(this.#highest, number)
    return true
  }

  /** Returns the missing events before the newest block, or up to the last event of the log, where that is known. */
  missingRanges(endId: number | null = null): IdRange[] {
    if (!this.isReliable) {
      this.resolve(eventId(this.#highest, 0))
      return []
    }
    const highest = Math.max(this.#highest, endId === null ? 0 : blockOf(endId) + 1)
    let from = Math.max(this.#firstIncomplete, this.#resolvedStop)
    const ranges: IdRange[] = []
    const addRange = (stop: number) => {
      if (from < stop) ranges.push({ from: eventId(from, 0), stop: eventId(stop, 0) })
    }
    // Blocks of which nothing has arrived may be millions: they are not listed.
    const complete = [...this.#blocks].filter(([, block]) => isComplete(block)).map(([number]) => number)
    for (const number of complete.sort((a, b) => a - b)) {
      if (number < from || number >= highest) continue
      addRange(number)
      from = number + 1
    }
    addRange(highest)
    return ranges
  }

  /** Records that of the blocks before that of an id all is read that exists. */
  resolve(id: number): void {
    this.#resolvedStop = Math.max(this.#resolvedStop, blockOf(id))
  }

  /** True if the upstream numbers events by the protocol, so that gaps are detectable. */
  get isReliable(): boolean {
    return this.#emptyFetches < MAX_EMPTY_FETCHES
  }

  /**
   * Records how many missing events a range had. If only the last numbers of blocks are missing, finding none is no fault of
   * the upstream: those counted events have no id.
   */
  recordFound({ from, stop }: IdRange, events: number): void {
    if (events > 0) this.#emptyFetches = 0
    else if (!this.#isGapless(blockOf(from), Math.min(blockOf(stop), this.#resolvedStop)))
      this.#emptyFetches += 1
  }

  #isGapless(from: number, stop: number): boolean {
    for (let number = from; number < stop; number += 1) {
      const block = this.#blocks.get(number)
      if (!block || countContiguous(block) < block.seen.size) return false
    }
    return true
  }

  /** Returns the id up to which all events have arrived or do not exist. Forgets old blocks. */
  advance(): number {
    const before = this.#firstIncomplete
    this.#firstIncomplete = Math.max(before, this.#resolvedStop)
    let block = this.#blocks.get(this.#firstIncomplete)
    while (block && isComplete(block)) {
      this.#firstIncomplete += 1
      block = this.#blocks.get(this.#firstIncomplete)
    }
    if (this.#firstIncomplete > before) this.#forgetOldBlocks()
    if (!block) return eventId(this.#firstIncomplete, 0)
    return eventId(this.#firstIncomplete, countContiguous(block))
  }

  #forgetOldBlocks(): void {
    for (const number of this.#blocks.keys()) {
      if (number < this.#firstIncomplete - RETAINED_BLOCKS) this.#blocks.delete(number)
    }
  }

  #block(number: number): Block {
    let block = this.#blocks.get(number)
    if (!block) {
      block = { total: null, seen: new Set(), contiguous: 0 }
      this.#blocks.set(number, block)
    }
    return block
  }
}

/** Counts the events of a block that have none missing before them. */
function countContiguous(block: Block): number {
  while (block.seen.has(block.contiguous)) block.contiguous += 1
  return block.contiguous
}

function isComplete({ total, seen }: Block): boolean {
  return total !== null && seen.size >= total
}
