import type { Database } from '../../platform/db/connection.js'
import type { Nonce } from '../merge/keys/key-state.js'
import { upsertNonces } from '../merge/keys/key-store.js'
import {
  type AfterItems,
  type MergeTally,
  ReorderBuffer,
  type ReorderBufferOptions,
  takeSettled,
} from '../reorder-buffer.js'
import { decodeItem, decodeKeyNonce, isItem, splitFrames } from './frame.js'
import { type ArchiveIdentity, readArchive } from './reader.js'

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
 * Merges an archive through the hub: validates and verifies every message; known items are duplicates. The messages are
 * historical: the permissions of today do not apply to them (docs/protocol.md §4.14).
 *
 * On-chain events, name transfers and nonces carry no proof that a hub can check offline: import only archives from a
 * trusted origin. The database stores the offset of each merged chunk, so a stopped run resumes. Of a damaged
 * archive, everything before the damage is merged.
 */
export async function importArchive(options: ImportOptions): Promise<ImportResult> {
  const { db, hub, source, network, restart, signal, onProgress } = options
  /** The ends of chunks: when their items have settled, everything up to the offset is merged. */
  const chunkEnds: (AfterItems & { readonly offset: number; readonly resumable: boolean })[] = []
  /** Nonces, each with the items before it: written only then, a KEY_ADD among those may use a smaller one. */
  const nonces: (AfterItems & { readonly nonce: Nonce })[] = []
  let archive: ArchiveIdentity | null = null
  let startOffset = 0
  let offset = 0
  /** Frames of this run that went to the reorder buffer. */
  let itemCount = 0

  async function recordSettled(settledCount: number): Promise<void> {
    const used = takeSettled(nonces, settledCount).map(({ nonce }) => nonce)
    if (used.length > 0) await upsertNonces(db, used)
    const settled = takeSettled(chunkEnds, settledCount)
    offset = settled.at(-1)?.offset ?? offset
    // Later chunks of an archive that was cut off are replaced when its export is resumed.
    const saved = settled.findLast(({ resumable }) => resumable)
    if (saved && archive) await saveImportOffset(db, archive.archiveId, saved.offset)
    onProgress?.(offset, settledCount)
  }

  const reorderBuffer = new ReorderBuffer({ hub, origin: 'store', signal, onSettled: recordSettled })

  async function start(identity: ArchiveIdentity): Promise<number> {
    archive = identity
    if (restart) await deleteImportOffset(db, identity)
    startOffset = await loadImportOffset(db, identity.archiveId)
    offset = startOffset
    return startOffset
  }

  async function mergeChunk(frames: Buffer): Promise<'whole' | 'corrupted' | 'stopped'> {
    for (const frame of splitFrames(frames)) {
      if (frame === null) return 'corrupted'
      if (signal?.aborted) return 'stopped'
      const content = decodeKeyNonce(frame) ?? decodeItem(frame)
      if ('nonce' in content) nonces.push({ itemCount, nonce: content })
      else if (!isItem(content)) reorderBuffer.countRefusal(content)
      else {
        itemCount += 1
        await reorderBuffer.add(content)
      }
    }
    return 'whole'
  }

  async function mergeParts(): Promise<ImportResult['outcome'] | { readonly end: number }> {
    for await (const part of readArchive(source, start)) {
      if (archive && archive.network !== network) return 'other network'
      if (part.kind === 'end') return { end: part.offset }
      if (part.kind !== 'chunk') return part.kind
      const state = await mergeChunk(part.frames)
      if (state !== 'whole') return state
      chunkEnds.push({ itemCount, offset: part.endOffset, resumable: part.resumable })
    }
    return 'stopped'
  }

  const outcome = await mergeParts()
  await reorderBuffer.drain()
  // A chunk of unreadable frames only has nothing that settles.
  await recordSettled(itemCount)
  if (typeof outcome === 'string') return { outcome, offset, startOffset, tally: reorderBuffer.tally }
  if (archive) await deleteImportOffset(db, archive)
  return { outcome: 'complete', offset: outcome.end, startOffset, tally: reorderBuffer.tally }
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

async function deleteImportOffset(db: Database, { archiveId }: ArchiveIdentity): Promise<void> {
  await db`delete from hub.settings where name = ${settingName(archiveId)}`
}

function settingName(archiveId: string): string {
  return `import/${archiveId}`
}
