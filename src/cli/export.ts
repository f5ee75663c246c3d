import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { farcasterNetworks } from '../app/farcaster-networks.js'
import { countFrames, exportAll } from '../hub/archive/export.js'
import { type ArchiveFile, openArchiveFile, streamSink } from '../hub/archive/file.js'
import { selectionOf } from '../hub/archive/member.js'
import { ArchiveWriter } from '../hub/archive/writer.js'
import { readNetwork } from '../hub/network.js'
import type { Database } from '../platform/db/connection.js'
import { FarcasterNetwork } from '../protocol/definitions.js'
import { fids } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { progressOf, stopSignal } from './long-command.js'
import { withDatabase } from './with-database.js'

interface Options {
  readonly fid?: number[]
  readonly resume?: boolean
}

/** `plaza export` */
export function addExportCommand(command: Command, context: CommandContext): void {
  command
    .argument('<file>', 'output file; - is standard output')
    .option('--fid <fids>', 'only these users, separated by commas', fids)
    .option('--resume', 'continue an unfinished file')
    .action((path: string, options: Options) => runExport(context, path, options))
}

async function runExport(context: CommandContext, path: string, options: Options): Promise<void> {
  const signal = stopSignal(context)
  const { hubNetwork } = loadConfig(context)
  if (path === '-' && options.resume) throw new UsageError('--resume needs a file, not standard output')
  await withDatabase(context, 'export', async (db) => {
    const network = await readNetwork(db)
    if (network !== FarcasterNetwork.NONE && network !== farcasterNetworks[hubNetwork]) {
      const stored = FarcasterNetwork[network].toLowerCase()
      throw new UsageError(
        `HUB_NETWORK: this database was created with ${stored}, not ${hubNetwork}: set it back`,
      )
    }
    // Not before the database answers: an empty file would be in the way of the next try.
    const file =
      path === '-'
        ? openStandardOutput(context, farcasterNetworks[hubNetwork], options)
        : await openFile(path, farcasterNetworks[hubNetwork], options)
    try {
      if (file.isComplete) return report(context, path, `${path} is already complete`)
      await writeArchive(context, { db, file, path, signal, fids: options.fid })
    } finally {
      await file.close()
    }
  })
}

interface Export {
  readonly db: Database
  readonly file: ArchiveFile
  readonly path: string
  readonly signal: AbortSignal
  /** All users if undefined. */
  readonly fids: readonly number[] | undefined
}

async function writeArchive(
  context: CommandContext,
  { db, file, path, signal, fids }: Export,
): Promise<void> {
  const { start } = file
  const isBegun = start.framesBefore > 0
  const writer = new ArchiveWriter(file.sink, start)
  const progress = progressOf(context, {
    label: 'export',
    unit: 'frames',
    total: await countFrames(db, fids),
    start: start.framesBefore,
  })
  const isComplete = await exportAll({
    db,
    writer,
    after: isBegun ? start.position : null,
    signal,
    onProgress: (frames) => progress.update(frames, frames - start.framesBefore),
    ...(fids && { fids }),
  })
  await (isComplete ? writer.finish() : writer.flushAll())
  progress.finish()
  if (!isComplete)
    throw new UsageError(
      path === '-'
        ? 'stopped: standard output has a part of the archive. Run it again; one in a file can be continued'
        : `stopped: continue with --resume${fids === undefined ? '' : ' and the same --fid'}`,
    )
  report(context, path, `${path} is complete: ${writer.frames} messages and events`)
}

/** Prints nothing if the archive itself goes to standard output. */
function report(context: CommandContext, path: string, line: string): void {
  if (path !== '-') context.print(line)
}

async function openFile(
  path: string,
  network: number,
  { resume = false, fid: fids }: Options,
): Promise<ArchiveFile> {
  return await openArchiveFile(path, { network, resume, fids }).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  })
}

function openStandardOutput(
  { stdout }: CommandContext,
  network: number,
  { fid: fids }: Options,
): ArchiveFile {
  const archiveId = randomBytes(8).toString('hex')
  return {
    sink: streamSink(stdout),
    start: { network, archiveId, selection: selectionOf(fids), framesBefore: 0, position: 0 },
    isComplete: false,
    close: async () => {},
  }
}
