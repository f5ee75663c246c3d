import { blockOf, eventId } from '../../hub/log/hub-event.js'
import type { ShardRange } from '../../hub/log/read.js'
import type { LoggedEvent } from '../../hub/log/write.js'

/** Blocks that follow each other; `last` is one of them. */
interface Run {
  first: number
  last: number
}

/**
 * The latest blocks of each shard that this process has merged itself. What they made untrue was dropped when they were
 * committed, so whoever follows the log to drop it need not read them. Blocks have no gaps: a run of them is passed over
 * whole, and a process that merges alone reads nothing of its own.
 */
export class OwnBlocks {
  readonly #runs = new Map<number, Run>()

  /** Events that this process has committed, after what they made untrue was dropped. */
  note(events: readonly Pick<LoggedEvent, 'shard' | 'id'>[]): void {
    for (const { shard, id } of events) {
      const block = blockOf(id)
      const run = this.#runs.get(shard)
      if (run && block === run.last + 1) run.last = block
      else if (!run || block > run.last) this.#runs.set(shard, { first: block, last: block })
    }
  }

  /**
   * What is left to be read behind own blocks; the same array when that is all.
   *
   * @param ranges Each begins with a block.
   */
  passOver(ranges: readonly ShardRange[]): readonly ShardRange[] {
    const left = ranges.map((range) => {
      const run = this.#runs.get(range.shard)
      const block = blockOf(range.from)
      return run && run.first <= block && block <= run.last
        ? { ...range, from: eventId(run.last + 1, 0) }
        : range
    })
    return left.some((range, index) => range !== ranges[index]) ? left : ranges
  }
}

/** The next block, of which nothing was there when all before it was read: a block is committed at once. */
export function fromNextBlock(range: ShardRange): ShardRange {
  const block = blockOf(range.from)
  const begin = eventId(block, 0)
  return begin === range.from ? range : { ...range, from: eventId(block + 1, 0) }
}
