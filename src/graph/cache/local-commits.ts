import { mayBeSameHash, shortHash } from '../../hub/log/block-history.js'
import { blockOf, eventId } from '../../hub/log/hub-event.js'
import type { ShardRange } from '../../hub/log/log-range.js'
import type { LoggedEvent } from '../../hub/log/write.js'
import { HubEventType } from '../../protocol/definitions.js'

/** Consecutive blocks of one branch of the log, `last` included. */
interface BlockRange {
  readonly first: number
  last: number
  /** Hashes by height: of the latest blocks, and of the one before the first. */
  readonly hashes: Map<number, string>
}

/** Hashes of local blocks that are remembered. The follower is behind by a few. */
const MAX_REMEMBERED_HASHES = 1_000

type LocalEvent = Pick<LoggedEvent, 'shard' | 'id'> & Partial<Pick<LoggedEvent, 'body' | 'parentHash'>>

/**
 * The latest blocks of each shard that this process merged. Their invalidation was applied at the commit, so the
 * follower of the log skips them. Blocks have no gaps: a process that merges alone reads none of its own blocks.
 */
export class LocalCommits {
  readonly #rangesByShard = new Map<number, BlockRange>()

  /** Records events that this process committed. Call it after their invalidation was applied. */
  record(events: readonly LocalEvent[]): void {
    for (const { shard, id, body, parentHash } of events) {
      const hash = body?.type === HubEventType.BLOCK_CONFIRMED ? shortHash(body.blockHash) : undefined
      this.#recordBlock(shard, blockOf(id), hash, parentHash && shortHash(parentHash))
    }
  }

  #recordBlock(shard: number, block: number, hash: string | undefined, parent: string | undefined): void {
    let range = this.#rangesByShard.get(shard)
    if (range && block === range.last + 1 && mayBeSameHash(range.hashes.get(range.last), parent)) {
      range.last = block
    } else if (!range || block > range.last || !mayBeSameHash(range.hashes.get(block), hash)) {
      range = { first: block, last: block, hashes: new Map() }
      if (parent) range.hashes.set(block - 1, parent)
      this.#rangesByShard.set(shard, range)
    }
    if (hash) range.hashes.set(block, hash)
    for (const oldest of range.hashes.keys()) {
      if (range.hashes.size <= MAX_REMEMBERED_HASHES) break
      range.hashes.delete(oldest)
    }
  }

  /**
   * Returns the ranges without local blocks at their start; the same array when there are none. Local blocks of another
   * branch than what was read before them stay: reading them shows that the log went back.
   *
   * @param ranges Each begins with a block.
   */
  skip(ranges: readonly ShardRange[]): readonly ShardRange[] {
    const remaining = ranges.map((range) => {
      const localRange = this.#rangesByShard.get(range.shard)
      const block = blockOf(range.from)
      if (!localRange || block < localRange.first || localRange.last < block) return range
      const { last, hashes } = localRange
      const read = range.history?.[0]
      if (read && !mayBeSameHash(hashes.get(read.height), read.hash)) return range
      const hash = hashes.get(last)
      const { history: _, ...rest } = range
      const from = eventId(last + 1, 0)
      return { ...rest, from, ...(hash === undefined ? {} : { history: [{ height: last, hash }] }) }
    })
    return remaining.some((range, index) => range !== ranges[index]) ? remaining : ranges
  }

  /** Forgets all blocks: the log went back. */
  clear(): void {
    this.#rangesByShard.clear()
  }
}

/** Moves a range to the start of the next block, unless it is at a start. A block is committed whole. */
export function startAtNextBlock(range: ShardRange): ShardRange {
  const block = blockOf(range.from)
  const blockStart = eventId(block, 0)
  return blockStart === range.from ? range : { ...range, from: eventId(block + 1, 0) }
}
