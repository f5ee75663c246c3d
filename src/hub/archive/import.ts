import type { Database } from '../../platform/db/connection.js'
import { Intake, type IntakeOptions, type IntakeTally } from '../intake.js'
import { decodeItem, isItem, splitFrames } from './frame.js'
import { forgetPosition, loadPosition, savePosition } from './import-position.js'
import { type ArchiveIdentity, type ArchivePart, readArchive } from './reader.js'

export interface ImportOptions {
  readonly db: Database
  readonly hub: IntakeOptions['hub']
  /** The archive, from its first byte on. */
  readonly source: AsyncIterable<Uint8Array>
  /** The network of this hub: an archive of another one is refused before anything is merged. */
  readonly network: number
  /** Start from the beginning, whatever an earlier run has done. */
  readonly restart: boolean
  readonly signal?: AbortSignal
  /** Told how far the archive is merged, in bytes, and how many frames this run has settled. */
  readonly onProgress?: (bytes: number, frames: number) => void
}

/** How far an import came, and what became of what it read. */
export interface ImportResult {
  /** `stopped`: by the signal. The next run goes on from there. */
  readonly outcome: 'complete' | 'stopped' | 'truncated' | 'corrupted' | 'other network'
  /** Byte of the archive up to which everything is merged. */
  readonly offset: number
  /** Byte that this run started from; 0 when it started at the beginning. */
  readonly startOffset: number
  /** What became of the frames of this run. */
  readonly tally: IntakeTally
}

/**
 * Merges an archive through the hub's ordinary door: every message is validated and verified, what is known
 * already is a duplicate. On-chain events and name transfers carry no proof that a hub could check offline:
 * import only archives whose origin you trust.
 *
 * A chunk is remembered in the database when it is merged, so that a run that was stopped is gone on with; of
 * a damaged archive, what stands before the damage is merged.
 */
export async function importArchive(options: ImportOptions): Promise<ImportResult> {
  const run = new ImportRun(options)
  const result = await run.run()
  if (result.outcome === 'complete') await run.forget()
  return result
}

/** The end of a chunk: once so many frames have settled, everything up to the offset is merged. */
interface ChunkEnd {
  readonly frames: number
  readonly offset: number
}

class ImportRun {
  readonly #options: ImportOptions
  readonly #intake: Intake
  #identity: ArchiveIdentity | null = null
  #startOffset = 0
  #mergedOffset = 0
  /** Frames of this run: handed to the intake, and of these settled. */
  #taken = 0
  #chunkEnds: ChunkEnd[] = []

  constructor(options: ImportOptions) {
    this.#options = options
    const { hub, signal } = options
    this.#intake = new Intake({ hub, signal, onSettled: (items) => this.#settled(items) })
  }

  async run(): Promise<ImportResult> {
    const { source } = this.#options
    const parts = readArchive(source, { startOffset: (identity) => this.#begin(identity) })
    let outcome: ImportResult['outcome'] = 'stopped'
    let end = 0
    for await (const part of parts) {
      if (this.#identity && this.#identity.network !== this.#options.network)
        return this.#result('other network')
      if (part.kind !== 'chunk') {
        outcome = part.kind === 'end' ? 'complete' : part.kind
        end = part.offset
        break
      }
      const taken = await this.#takeChunk(part)
      if (taken === 'corrupted') outcome = taken
      if (taken !== 'whole') break
    }
    await this.#intake.drain()
    // A chunk of nothing but unreadable frames ends without anything that settles.
    await this.#settled(this.#taken)
    if (outcome === 'complete') this.#mergedOffset = end
    return this.#result(outcome)
  }

  async forget(): Promise<void> {
    if (this.#identity) await forgetPosition(this.#options.db, this.#identity.archiveId)
  }

  async #begin(identity: ArchiveIdentity): Promise<number> {
    this.#identity = identity
    if (this.#options.restart) await this.forget()
    this.#startOffset = await loadPosition(this.#options.db, identity.archiveId)
    this.#mergedOffset = this.#startOffset
    return this.#startOffset
  }

  async #takeChunk(
    chunk: Extract<ArchivePart, { kind: 'chunk' }>,
  ): Promise<'whole' | 'corrupted' | 'stopped'> {
    for (const frame of splitFrames(chunk.frames)) {
      if (frame === null) return 'corrupted'
      if (this.#options.signal?.aborted) return 'stopped'
      const item = decodeItem(frame)
      if (isItem(item)) {
        this.#taken += 1
        await this.#intake.add(item)
      } else {
        this.#intake.refuse(item)
      }
    }
    this.#chunkEnds.push({ frames: this.#taken, offset: chunk.endOffset })
    return 'whole'
  }

  async #settled(frames: number): Promise<void> {
    let done: ChunkEnd | undefined
    while (this.#chunkEnds[0] && this.#chunkEnds[0].frames <= frames) done = this.#chunkEnds.shift()
    if (done && this.#identity) {
      this.#mergedOffset = done.offset
      await savePosition(this.#options.db, this.#identity.archiveId, done.offset)
    }
    this.#options.onProgress?.(this.#mergedOffset, frames)
  }

  #result(outcome: ImportResult['outcome']): ImportResult {
    return {
      outcome,
      offset: this.#mergedOffset,
      startOffset: this.#startOffset,
      tally: this.#intake.tally,
    }
  }
}
