import type { ArchiveFile } from '../hub/archive/file.js'
import { itemFrame } from '../hub/archive/frame.js'
import { ArchiveWriter } from '../hub/archive/writer.js'
import { generateDemo } from './generate.js'
import type { DemoOptions } from './options.js'

export interface WriteDemoOptions {
  readonly demo: DemoOptions
  /** Opened with `demoId` as the id of the archive. */
  readonly file: Pick<ArchiveFile, 'sink' | 'start' | 'isComplete'>
  /** Instead of the size that chunks of archives have. */
  readonly chunkBytes?: number
  readonly signal?: AbortSignal
  /** Told how many items the file has, and how many of these this run has made. */
  readonly onProgress?: (items: number, ofThisRun: number) => void
}

/**
 * Writes a demo into an archive, without any database: from where an earlier run has stopped, if the file was
 * opened to be gone on with. The same options give the same file, however often it was stopped.
 *
 * @returns false when it was stopped by the signal.
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
    // Looked at between chunks only, so that chunks end where they would end anyway.
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
