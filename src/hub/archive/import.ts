import type { Database } from '../../platform/db/connection.js'
import { type MergeTally, ReorderBuffer, type ReorderBufferOptions } from '../reorder-buffer.js'
import { decodeItem, isItem, splitFrames } from './frame.js'
import { type ArchiveIdentity, type ArchivePart, readArchive } from './reader.js'

export interface ImportOptions {
  readonly db: Database
  readonly hub: ReorderBufferOptions['hub']
  /** The archive from its first byte. */
  readonly source: AsyncIterable<Uint8Array>
  /** Network of this hub; an archive of another network is refused before anything merges. */
  readonly network: number
  /** Starts from the beginning, whatever an earlier run has merged. */
  readonly restart: boolean
  readonly signal?: AbortSignal
  /** Called with the merged bytes of the archive and the settled frames of this run. */
  readonly onProgress?: (bytes: number, frames: number) => void
}

/** The progress and the outcomes of an import. */
export interface ImportResult {
  /** `stopped`: by the signal; the next run resumes. */
  readonly outcome: 'complete' | 'stopped' | 'truncated' | 'corrupted' | 'other network'
  /** Offset in the archive up to which everything is merged, in bytes. */
  readonly offset: number
  /** Offset at which this run started. */
  readonly startOffset: number
  /** Outcomes of the frames of this run. */
  readonly tally: MergeTally
}

/**
 * Merges an archive through the hub: validates and verifies every message; known items are duplicates.
 *
 * On-chain events and name transfers carry no proof that a hub can check offline: import only archives from a
 * trusted origin. The database stores the offset of each merged chunk, so a stopped run resumes. Of a damaged
 * archive, everything before the damage is merged.
 */
export async function importArchive(options: ImportOptions): Promise<ImportResult> {
  const run = new ImportRun(options)
  const result = await run.run()
  if (result.outcome === 'complete') await run.deleteOffset()
  return result
}

/** The end of a chunk: when this many frames have settled, everything up to the offset is merged. */
interface ChunkEnd {
  readonly frames: number
  readonly offset: number
}

class ImportRun {
  readonly #options: ImportOptions
  readonly #reorderBuffer: ReorderBuffer
  #identity: ArchiveIdentity | null = null
  #startOffset = 0
  #mergedOffset = 0
  /** Frames of this run that went to the reorder buffer. */
  #itemCount = 0
  #chunkEnds: ChunkEnd[] = []

  constructor(options: ImportOptions) {
    this.#options = options
    const { hub, signal } = options
    this.#reorderBuffer = new ReorderBuffer({ hub, signal, onSettled: (items) => this.#recordSettled(items) })
  }

  async run(): Promise<ImportResult> {
    const { source } = this.#options
    const parts = readArchive(source, { startOffset: (identity) => this.#start(identity) })
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
      const itemCount = await this.#mergeChunk(part)
      if (itemCount === 'corrupted') outcome = itemCount
      if (itemCount !== 'whole') break
    }
    await this.#reorderBuffer.drain()
    // A chunk of unreadable frames only has nothing that settles.
    await this.#recordSettled(this.#itemCount)
    if (outcome === 'complete') this.#mergedOffset = end
    return this.#result(outcome)
  }

  async deleteOffset(): Promise<void> {
    if (this.#identity) await deleteImportOffset(this.#options.db, this.#identity.archiveId)
  }

  async #start(identity: ArchiveIdentity): Promise<number> {
    this.#identity = identity
    if (this.#options.restart) await this.deleteOffset()
    this.#startOffset = await loadImportOffset(this.#options.db, identity.archiveId)
    this.#mergedOffset = this.#startOffset
    return this.#startOffset
  }

  async #mergeChunk(
    chunk: Extract<ArchivePart, { kind: 'chunk' }>,
  ): Promise<'whole' | 'corrupted' | 'stopped'> {
    for (const frame of splitFrames(chunk.frames)) {
      if (frame === null) return 'corrupted'
      if (this.#options.signal?.aborted) return 'stopped'
      const item = decodeItem(frame)
      if (isItem(item)) {
        this.#itemCount += 1
        await this.#reorderBuffer.add(item)
      } else {
        this.#reorderBuffer.countRefusal(item)
      }
    }
    this.#chunkEnds.push({ frames: this.#itemCount, offset: chunk.endOffset })
    return 'whole'
  }

  async #recordSettled(frames: number): Promise<void> {
    let done: ChunkEnd | undefined
    while (this.#chunkEnds[0] && this.#chunkEnds[0].frames <= frames) done = this.#chunkEnds.shift()
    if (done && this.#identity) {
      this.#mergedOffset = done.offset
      await saveImportOffset(this.#options.db, this.#identity.archiveId, done.offset)
    }
    this.#options.onProgress?.(this.#mergedOffset, frames)
  }

  #result(outcome: ImportResult['outcome']): ImportResult {
    return {
      outcome,
      offset: this.#mergedOffset,
      startOffset: this.#startOffset,
      tally: this.#reorderBuffer.tally,
    }
  }
}

/** Loads the merged offset of an archive, in bytes; 0 if there is none. */
export async function loadImportOffset(db: Database, archiveId: string): Promise<number> {
  const [row] = await db<{ offset: number }[]>`
    select (value #>> '{}')::bigint as offset from hub.settings where name = ${settingName(archiveId)}
  `
  return row?.offset ?? 0
}

/** Saves the merged offset of an archive. */
async function saveImportOffset(db: Database, archiveId: string, offset: number): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values (${settingName(archiveId)}, ${offset}::bigint::text::jsonb)
    on conflict (name) do update set value = excluded.value
  `
}

/** Deletes the offset of an archive that is complete or restarts. */
async function deleteImportOffset(db: Database, archiveId: string): Promise<void> {
  await db`delete from hub.settings where name = ${settingName(archiveId)}`
}

function settingName(archiveId: string): string {
  return `import/${archiveId}`
}
