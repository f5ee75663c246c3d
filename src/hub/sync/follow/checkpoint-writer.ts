import type { Queryable } from '../../../platform/db/connection.js'
import { isRecent } from '../../../platform/durations.js'
import { saveCursor } from './cursors.js'

/** A position in the log: when this many items have settled, everything before it is merged. */
interface Checkpoint {
  readonly items: number
  readonly nextId: number
  readonly blockTime: number
}

interface CheckpointWriterOptions {
  /**
   * A connection since before the first merge. A standby that takes over may lack the last merges; what they are before must not
   * be saved there, and this connection does not outlive the server.
   */
  readonly session: Queryable
  /** Address of the upstream. */
  readonly upstream: string
  readonly shard: number
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Writes what events before the cursor have led to: they are not read again. */
  readonly flush: () => Promise<void>
}

/** Interval of saving the cursor: more often would cost a commit for each small batch. */
const SAVE_EVERY_MS = 250

/**
 * Saves the cursor of a shard when everything before it is merged. One save runs at a time: a second one would have nothing to
 * flush, and would move the cursor although the flush of the first may fail.
 */
export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions
  readonly #pending: Checkpoint[] = []
  #settledItems = 0
  #unsaved: Checkpoint | null = null
  #savedMs = 0
  /** The running save. */
  #lastSave: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: CheckpointWriterOptions) {
    this.#options = options
  }

  /** Adds a position behind all others. */
  push(checkpoint: Checkpoint): void {
    this.#pending.push(checkpoint)
  }

  /** Records that so many items from the first on have settled, and saves the cursor from time to time. */
  async settled(items: number): Promise<void> {
    this.#settledItems = Math.max(this.#settledItems, items)
    while (this.#pending[0] && this.#pending[0].items <= this.#settledItems)
      this.#unsaved = this.#pending.shift() ?? null
    if (this.#unsaved === null || isRecent(this.#savedMs, this.#options.clock(), SAVE_EVERY_MS)) return
    await this.save()
  }

  /** Saves the last position before which everything has settled. */
  save(): Promise<void> {
    return this.#serialize(() => this.#write())
  }

  /** Runs what moves the cursor to another log after the running save. Positions in the old log are no longer saved. */
  closeWith(move: () => Promise<void>): Promise<void> {
    this.#isClosed = true
    return this.#serialize(move)
  }

  #serialize(work: () => Promise<void>): Promise<void> {
    const save = this.#lastSave.catch(() => {}).then(work)
    this.#lastSave = save
    return save
  }

  async #write(): Promise<void> {
    const { session, upstream, shard, clock, flush } = this.#options
    const checkpoint = this.#unsaved
    if (checkpoint === null) return
    this.#savedMs = clock()
    await flush()
    if (!this.#isClosed) await saveCursor(session, upstream, shard, checkpoint)
    if (this.#unsaved === checkpoint) this.#unsaved = null
  }
}
