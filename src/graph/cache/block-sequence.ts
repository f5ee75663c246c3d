import { mayBeSameHash, shortHash } from '../../hub/log/block-history.js'
import { blockOf, type HubEventBody } from '../../hub/log/hub-event.js'
import type { LoggedEvent } from '../../hub/log/write.js'
import { HubEventType } from '../../protocol/definitions.js'

/** Position of an event in the log, and its body. */
export type SequencedBody = Pick<LoggedEvent, 'shard' | 'id' | 'body' | 'parentHash'>

/** The events of one block. Heights of a shard have no gaps. */
export interface CommittedBlock {
  readonly shard: number
  readonly height: number
  readonly bodies: readonly HubEventBody[]
  /** The hash of the block, which identifies its branch of the log; null if it is unknown. */
  readonly hash?: string | null
  /** The hash of the block before; null if this process did not merge it. */
  readonly parent?: string | null
}

/** The last block of each shard that a snapshot of the database contains: `hub.shards`. */
export type ShardHeights = ReadonlyMap<number, number>

/** State in memory that follows the log. */
export interface LogState {
  /** Called once for each block, in the order of its shard. */
  applyBlock(block: CommittedBlock): void
  /** Clears the state: the position in the log was lost, or the tables were rebuilt. */
  reset(): void
}

/** A read of tables whose result will join a state. */
export interface PendingLoad {
  /**
   * The blocks that were applied since the load began and that the snapshot does not contain; null if the snapshot is
   * older than the state was at the beginning, as that of a replica may be, or the sequence was reset.
   */
  blocksAfter(snapshot: ShardHeights): readonly CommittedBlock[] | null
  end(): void
}

/** Blocks that wait for one before them. Above this the position counts as lost. */
const MAX_WAITING_BLOCKS = 10_000

/** Applied blocks of a shard whose hash is remembered. */
const MAX_REMEMBERED_HASHES = 256

/**
 * Puts blocks in order for states in memory. A process hears of a block twice: at its own commit, and from the log, where
 * it also finds the blocks of other processes. Its own block n + 1 may come before the block n of another process; it
 * waits until the log was read.
 */
export class BlockSequence {
  readonly #states: LogState[] = []
  /** The last applied block of each shard; null before `start`. */
  #heights: Map<number, number> | null = null
  /** Whether blocks wait for the next `start`. Without a reader of the log they would wait forever. */
  #isStarting = false
  /** Blocks that wait, by shard and height. */
  readonly #waiting = new Map<number, Map<number, CommittedBlock>>()
  /** Hashes of applied blocks, by shard and height. */
  readonly #hashes = new Map<number, Map<number, string>>()
  #waitingCount = 0
  /** The block that a page of the log may continue, by shard. */
  readonly #unfinished = new Map<number, BlockInReading>()
  readonly #loads = new Set<{ readonly from: ShardHeights; readonly blocks: CommittedBlock[] }>()
  readonly #waiters = new Set<() => void>()

  add(state: LogState): void {
    this.#states.push(state)
  }

  /** Whether every block that this process committed is applied: what it wrote itself is in the states. */
  isCurrent(): boolean {
    return this.#heights !== null && this.#waitingCount === 0
  }

  /** Whether the position in the log is unknown. To recover, call `prepare`, read the ends of the log, and call `start`. */
  isLost(): boolean {
    return this.#heights === null
  }

  /** Keeps blocks from now on. Call it before the ends of the log are read, which contain the blocks before. */
  prepare(): void {
    this.#isStarting = true
  }

  /** Begins after these blocks, the last ones of the log. `hashes` are those of them that are known. */
  start(heights: ShardHeights, hashes: ReadonlyMap<number, string> = new Map()): void {
    this.#unfinished.clear()
    this.#forget()
    this.#isStarting = false
    this.#heights = new Map(heights)
    for (const [shard, hash] of hashes) this.#hashes.set(shard, new Map([[heights.get(shard) ?? 0, hash]]))
    for (const shard of heights.keys()) this.#applyWaiting(shard)
  }

  /** Forgets its position and empties the states, until `start`. */
  lose(): void {
    this.#isStarting = false
    this.#waiting.clear()
    this.#waitingCount = 0
    this.#forget()
  }

  /** Clears the states and keeps the position in the log: the tables were rebuilt. */
  resetStates(): void {
    this.#loads.clear()
    for (const state of this.#states) state.reset()
  }

  /**
   * Takes events that this process committed: whole blocks.
   *
   * @returns false if the log went back: they do not continue what was applied. The sequence has lost its position then.
   */
  commit(events: readonly SequencedBody[]): boolean {
    if (this.#heights === null && !this.#isStarting) return true
    const blocks = blocksIn(events)
    if (blocks.some((block) => this.#isOfOtherBranch(block))) {
      this.lose()
      return false
    }
    for (const block of blocks) this.#wait(block)
    for (const shard of this.#waiting.keys()) this.#applyWaiting(shard)
    if (this.#waitingCount > MAX_WAITING_BLOCKS) this.lose()
    return true
  }

  /**
   * Takes a page of the log.
   *
   * @param isEnd Whether the page reached the end of the log, so that its last blocks are whole.
   */
  read(events: readonly SequencedBody[], isEnd: boolean): void {
    for (const block of blocksIn(events)) {
      const { shard, height } = block
      const unfinished = this.#unfinished.get(shard)
      if (unfinished?.height === height) {
        unfinished.bodies.push(...block.bodies)
        continue
      }
      this.#finish(shard)
      this.#unfinished.set(shard, block)
    }
    if (isEnd) for (const shard of [...this.#unfinished.keys()]) this.#finish(shard)
  }

  /** Begins a load. Call it before the read. */
  load(): PendingLoad {
    const load = { from: new Map(this.#heights ?? []), blocks: [] as CommittedBlock[] }
    const isStarted = this.#heights !== null
    if (isStarted) this.#loads.add(load)
    return {
      blocksAfter: (snapshot) => {
        if (!this.#loads.has(load)) return null
        for (const [shard, height] of load.from) if ((snapshot.get(shard) ?? 0) < height) return null
        return load.blocks.filter(({ shard, height }) => height > (snapshot.get(shard) ?? 0))
      },
      end: () => this.#loads.delete(load),
    }
  }

  /** Resolves at the next block, or when the position is lost: ask `hasReached` again. */
  async nextChange(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiters.add(resolve))
  }

  /** Whether the states contain everything that a snapshot contains, of the shards that are followed. */
  hasReached(snapshot: ShardHeights): boolean {
    if (this.#heights === null) return false
    for (const [shard, height] of this.#heights) if (height < (snapshot.get(shard) ?? 0)) return false
    return true
  }

  #forget(): void {
    this.#heights = null
    this.#hashes.clear()
    this.resetStates()
    this.#wake()
  }

  #finish(shard: number): void {
    const unfinished = this.#unfinished.get(shard)
    if (!unfinished) return
    this.#unfinished.delete(shard)
    // The log is read without gaps: whatever was applied before, this block is the next.
    const applied = this.#heights?.get(shard)
    if (applied !== undefined && unfinished.height > applied) {
      this.#apply(unfinished)
      this.#applyWaiting(shard)
    }
  }

  /** Whether a block is not the one that was applied at its height, or does not follow the one before. */
  #isOfOtherBranch({ shard, height, hash, parent }: CommittedBlock): boolean {
    const hashes = this.#hashes.get(shard)
    return !mayBeSameHash(hashes?.get(height), hash) || !mayBeSameHash(hashes?.get(height - 1), parent)
  }

  #wait(block: CommittedBlock): void {
    const { shard, height } = block
    if (height <= (this.#heights?.get(shard) ?? -1)) return
    let blocks = this.#waiting.get(shard)
    if (!blocks) {
      blocks = new Map()
      this.#waiting.set(shard, blocks)
    }
    if (!blocks.has(height)) this.#waitingCount += 1
    blocks.set(height, block)
  }

  #applyWaiting(shard: number): void {
    const blocks = this.#waiting.get(shard)
    if (!blocks || this.#heights === null) return
    let applied = this.#heights.get(shard) ?? 0
    for (const height of blocks.keys()) {
      if (height > applied) continue
      blocks.delete(height)
      this.#waitingCount -= 1
    }
    for (let block = blocks.get(applied + 1); block; block = blocks.get(applied + 1)) {
      // It was merged on a branch that was lost meanwhile.
      if (this.#isOfOtherBranch(block)) {
        this.lose()
        return
      }
      blocks.delete(applied + 1)
      this.#waitingCount -= 1
      this.#apply(block)
      applied += 1
    }
  }

  #apply(block: CommittedBlock): void {
    const { shard, height, hash } = block
    this.#heights!.set(shard, height)
    if (hash) this.#rememberHash(shard, height, hash)
    for (const load of this.#loads) load.blocks.push(block)
    for (const state of this.#states) state.applyBlock(block)
    this.#wake()
  }

  #rememberHash(shard: number, height: number, hash: string): void {
    const hashes = this.#hashes.get(shard) ?? new Map<number, string>()
    this.#hashes.set(shard, hashes)
    hashes.set(height, hash)
    hashes.delete(height - MAX_REMEMBERED_HASHES)
  }

  #wake(): void {
    for (const wake of this.#waiters) wake()
    this.#waiters.clear()
  }
}

interface BlockInReading extends CommittedBlock {
  readonly bodies: HubEventBody[]
}

/** Groups events, in the order of their ids within a shard, by block. */
function blocksIn(events: readonly SequencedBody[]): BlockInReading[] {
  const blocks: BlockInReading[] = []
  const last = new Map<number, BlockInReading>()
  for (const { shard, id, body, parentHash } of events) {
    const height = blockOf(id)
    let block = last.get(shard)
    if (block?.height !== height) {
      const hash = body.type === HubEventType.BLOCK_CONFIRMED ? shortHash(body.blockHash) : null
      block = { shard, height, bodies: [], hash, parent: parentHash ? shortHash(parentHash) : null }
      last.set(shard, block)
      blocks.push(block)
    }
    block.bodies.push(body)
  }
  return blocks
}
