import { blockOf, eventId } from '../../hub/log/hub-event.js'
import type { ShardRange } from '../../hub/log/read.js'
import type { LoggedEvent } from '../../hub/log/write.js'

/** Blocks that follow each other; `last` is one of them. */
interface BlockRange {
  first: number
  last: number
}

/**
 * The latest blocks of each shard that this process has merged itself. What they made untrue was dropped when they were
 * committed, so whoever follows the log to drop it need not read them. Blocks have no gaps: a run of them is passed over
 * whole, and a process that merges alone reads nothing of its own.
 */
export class LocalCommits {
  readonly #rangesByShard = new Map<number, BlockRange>()

  /** Events that this process has committed, after what they made untrue was dropped. */
  record(events: readonly Pick<LoggedEvent, 'shard' | 'id'>[]): void {
    for (const { shard, id } of events) {
      const block = blockOf(id)
      const localRange = this.#rangesByShard.get(shard)
      if (localRange && block === localRange.last + 1) localRange.last = block
      else if (!localRange || block > localRange.last)
        this.#rangesByShard.set(shard, { first: block, last: block })
    }
  }

  /**
   * What is left to be read behind own blocks; the same array when that is all.
   *
   * @param ranges Each begins with a block.
   */
  skip(ranges: readonly ShardRange[]): readonly ShardRange[] {
    const remaining = ranges.map((range) => {
      const localRange = this.#rangesByShard.get(range.shard)
      const block = blockOf(range.from)
      return localRange && localRange.first <= block && block <= localRange.last
        ? { ...range, from: eventId(localRange.last + 1, 0) }
        : range
    })
    return remaining.some((range, index) => range !== ranges[index]) ? remaining : ranges
  }
}

/** The next block, of which nothing was there when all before it was read: a block is committed at once. */
export function startAtNextBlock(range: ShardRange): ShardRange {
  const block = blockOf(range.from)
  const blockStart = eventId(block, 0)
  return blockStart === range.from ? range : { ...range, from: eventId(block + 1, 0) }
}
