import { blockOf, type HubEventBody } from '../../hub/log/hub-event.js'
import type { LoggedEvent } from '../../hub/log/write.js'

/** What is read of an event: its place in the log and its body. */
export type SequencedBody = Pick<LoggedEvent, 'shard' | 'id' | 'body'>

/** The events of one block. Heights of a shard have no gaps. */
export interface CommittedBlock {
  readonly shard: number
  readonly height: number
  readonly bodies: readonly HubEventBody[]
}

/** The last block of each shard that a snapshot of the database contains: `hub.shards`. */
export type ShardHeights = ReadonlyMap<number, number>

/** State in memory that follows the log. */
export interface LogState {
  /** Called once for each block, in the order of its shard. */
  applyBlock(block: CommittedBlock): void
  /** Forgets everything: the place in the log was lost, or the tables were written anew. */
  reset(): void
}

/** A read of tables that is to become part of a state. */
export interface PendingLoad {
  /**
   * The blocks that were applied since the load began and that the snapshot does not contain; null if the snapshot is
   * older than the state was at the beginning, as that of a replica may be, or the sequence was reset.
   */
  blocksAfter(snapshot: ShardHeights): readonly CommittedBlock[] | null
  end(): void
}

/** Blocks that wait for one before them. Above this the place counts as lost. */
const MAX_WAITING_BLOCKS = 10_000

/**
 * Puts blocks in order for states in memory. A process hears of a block twice: at its own commit, and from the log, where
 * it also finds the blocks of other processes. Its own block n + 1 may come before the block n of another process; it
 * waits until the log was read.
 */
export class BlockSequence {
  readonly #states: LogState[] = []
  /** The last applied block of each shard; null before `start`. */
  #heights: Map<number, number> | null = null
  /** Whether blocks are kept for a `start` to come. Without a reader of the log they would stay for ever. */
  #isStarting = false
  /** Blocks that wait, by shard and height. */
  readonly #waiting = new Map<number, Map<number, readonly HubEventBody[]>>()
  #waitingCount = 0
  /** The block that a page of the log may continue, by shard. */
  readonly #unfinished = new Map<number, { height: number; bodies: HubEventBody[] }>()
  readonly #loads = new Set<{ readonly from: ShardHeights; readonly blocks: CommittedBlock[] }>()
  readonly #waiters = new Set<() => void>()

  add(state: LogState): void {
    this.#states.push(state)
  }

  /** Whether every block that this process committed is applied: what it wrote itself is in the states. */
  isCurrent(): boolean {
    return this.#heights !== null && this.#waitingCount === 0
  }

  /** Whether it has no place in the log: `prepare`, read the ends of the log, and `start`. */
  isLost(): boolean {
    return this.#heights === null
  }

  /** Keeps blocks from now on. Call it before the ends of the log are read, which contain the blocks before. */
  prepare(): void {
    this.#isStarting = true
  }

  /** Begins after these blocks, the last ones of the log. */
  start(heights: ShardHeights): void {
    this.#unfinished.clear()
    this.#forget()
    this.#isStarting = false
    this.#heights = new Map(heights)
    for (const shard of heights.keys()) this.#applyWaiting(shard)
  }

  /** Forgets its place and empties the states, until `start`. */
  lose(): void {
    this.#isStarting = false
    this.#waiting.clear()
    this.#waitingCount = 0
    this.#forget()
  }

  /** Empties the states and keeps its place: tables were written anew. */
  resetStates(): void {
    this.#loads.clear()
    for (const state of this.#states) state.reset()
  }

  /** Takes events that this process committed: whole blocks. */
  commit(events: readonly SequencedBody[]): void {
    if (this.#heights === null && !this.#isStarting) return
    for (const { shard, height, bodies } of blocksIn(events)) this.#wait(shard, height, bodies)
    for (const shard of this.#waiting.keys()) this.#applyWaiting(shard)
    if (this.#waitingCount > MAX_WAITING_BLOCKS) this.lose()
  }

  /**
   * Takes a page of the log.
   *
   * @param isEnd Whether the page reached the end of the log, so that its last blocks are whole.
   */
  read(events: readonly SequencedBody[], isEnd: boolean): void {
    for (const { shard, height, bodies } of blocksIn(events)) {
      const unfinished = this.#unfinished.get(shard)
      if (unfinished?.height === height) {
        unfinished.bodies.push(...bodies)
        continue
      }
      this.#finish(shard)
      this.#unfinished.set(shard, { height, bodies: [...bodies] })
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

  /** Resolves at the next block, or when the place is lost: ask `hasReached` again. */
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
      this.#apply(shard, unfinished.height, unfinished.bodies)
      this.#applyWaiting(shard)
    }
  }

  #wait(shard: number, height: number, bodies: readonly HubEventBody[]): void {
    if (height <= (this.#heights?.get(shard) ?? -1)) return
    let blocks = this.#waiting.get(shard)
    if (!blocks) {
      blocks = new Map()
      this.#waiting.set(shard, blocks)
    }
    if (!blocks.has(height)) this.#waitingCount += 1
    blocks.set(height, bodies)
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
    for (let bodies = blocks.get(applied + 1); bodies; bodies = blocks.get(applied + 1)) {
      blocks.delete(applied + 1)
      this.#waitingCount -= 1
      this.#apply(shard, applied + 1, bodies)
      applied += 1
    }
  }

  #apply(shard: number, height: number, bodies: readonly HubEventBody[]): void {
    const block = { shard, height, bodies }
    this.#heights!.set(shard, height)
    for (const load of this.#loads) load.blocks.push(block)
    for (const state of this.#states) state.applyBlock(block)
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiters) wake()
    this.#waiters.clear()
  }
}

/** Groups events, in the order of their ids within a shard, by block. */
function blocksIn(
  events: readonly SequencedBody[],
): { shard: number; height: number; bodies: HubEventBody[] }[] {
  const blocks: { shard: number; height: number; bodies: HubEventBody[] }[] = []
  const last = new Map<number, (typeof blocks)[number]>()
  for (const { shard, id, body } of events) {
    const height = blockOf(id)
    let block = last.get(shard)
    if (block?.height !== height) {
      block = { shard, height, bodies: [] }
      last.set(shard, block)
      blocks.push(block)
    }
    block.bodies.push(body)
  }
  return blocks
}
