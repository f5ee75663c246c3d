import type { ArchiveFile } from '../hub/archive/file.js'
import { itemFrame } from '../hub/archive/frame.js'
import { ArchiveWriter } from '../hub/archive/writer.js'
import { generateDemo } from './generate.js'
import type { DemoOptions } from './options.js'

export interface WriteDemoOptions {
  readonly demo: DemoOptions
  /** Opened with `demoId` as archive id. */
  readonly file: Pick<ArchiveFile, 'sink' | 'start' | 'isComplete'>
  /** Replaces the default chunk size of archives. */
  readonly chunkBytes?: number
  readonly signal?: AbortSignal
  /** Receives the number of items in the file, and how many of them are from this run. */
  readonly onProgress?: (items: number, ofThisRun: number) => void
}

/**
 * Writes a demo to an archive without a database, continuing an earlier run if the file was opened with
 * `resume`. The same options give the same file after any interruptions.
 *
 * @returns False if the signal stopped it.
 */
export async function writeDemo({
  demo,
  file,
  chunkBytes,
  signal,
  onProgress,
}: WriteDemoOptions): Promise<boolean> {
  if (file.isComplete) return true
  const writer = new ArchiveWriter(file.sink, file.start, chunkBytes === undefined ? {} : { chunkBytes })
  for await (const item of generateDemo(demo, file.start.framesBefore)) {
    // Checked only between chunks, so that chunk boundaries do not change.
    if (signal?.aborted && writer.isAtChunkStart) {
      await writer.flushAll()
      return false
    }
    await writer.add(itemFrame(item))
    await writer.checkpoint(writer.frames)
    onProgress?.(writer.frames, writer.frames - file.start.framesBefore)
  }
  await writer.finish()
  return true
}
