import { blockOf, eventId } from '../../hub/log/hub-event.js'
import type { ShardRange } from '../../hub/log/read.js'
import type { LoggedEvent } from '../../hub/log/write.js'

/** Consecutive blocks, `last` included. */
interface BlockRange {
  first: number
  last: number
}

/**
 * The latest blocks of each shard that this process merged. Their invalidation was applied at the commit, so the
 * follower of the log skips them. Blocks have no gaps: a process that merges alone reads none of its own blocks.
 */
export class LocalCommits {
  readonly #rangesByShard = new Map<number, BlockRange>()

  /** Records events that this process committed. Call it after their invalidation was applied. */
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
   * Returns the ranges without local blocks at their start; the same array when there are none.
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

/** Moves a range to the start of the next block, unless it is at a start. A block is committed whole. */
export function startAtNextBlock(range: ShardRange): ShardRange {
  const block = blockOf(range.from)
  const blockStart = eventId(block, 0)
  return blockStart === range.from ? range : { ...range, from: eventId(block + 1, 0) }
}
