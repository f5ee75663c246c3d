import { createReadStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Config } from '../app/config/config.js'
import { farcasterNetworks } from '../app/farcaster-networks.js'
import { type ImportResult, importArchive } from '../hub/archive/import.js'
import { identifyArchive } from '../hub/archive/reader.js'
import { type CommandContext, UsageError } from './context.js'
import { printTally, progressOf, stopSignal } from './long-command.js'
import { type HubTools, withHub } from './with-hub.js'

interface Options {
  readonly restart?: boolean
}

/** `plaza import` */
export function addImportCommand(command: Command, context: CommandContext): void {
  command
    .argument('<file>', 'archive; - is standard input')
    .option('--restart', 'start from the beginning')
    .action((path: string, options: Options) => runImport(context, path, options))
}

async function runImport(context: CommandContext, path: string, { restart = false }: Options): Promise<void> {
  const signal = stopSignal(context)
  const total = path === '-' ? 0 : await sizeOf(path)
  const opened: ReadStream[] = []
  let source: AsyncIterable<Uint8Array>
  async function checkNetwork({ hubNetwork }: Config): Promise<void> {
    // Opened where it is read: a file that cannot be opened is an error of the command.
    if (path !== '-') opened.push(createReadStream(path, { highWaterMark: 1024 * 1024 }))
    const archive = await identifyArchive(opened[0] ?? context.stdin)
    source = archive.source
    if (archive.identity && archive.identity.network !== farcasterNetworks[hubNetwork])
      throw new UsageError(otherNetworkText(archive.identity.network))
  }
  async function run({ config, db, hub }: HubTools): Promise<void> {
    const progress = progressOf(context, { label: 'import', unit: 'frames', total })
    const result = await importArchive({
      db,
      hub,
      source,
      network: farcasterNetworks[config.hubNetwork],
      restart,
      signal,
      onProgress: (bytes, frames) => progress.update(bytes, frames),
    })
    progress.finish()
    if (result.startOffset > 0) context.print(`continued from byte ${result.startOffset}`)
    printTally(context, result.tally)
    const fault = faultOf(result, restart)
    if (fault !== null) throw new UsageError(fault)
  }
  try {
    await withHub(context, 'import', run, checkNetwork)
  } finally {
    opened[0]?.destroy()
  }
}

function otherNetworkText(network: number): string {
  const [name] = Object.entries(farcasterNetworks).find(([, value]) => value === network) ?? []
  return `the archive is of ${name === undefined ? 'an unknown network' : `${name}: set HUB_NETWORK=${name}`}`
}

async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read`, { cause: error })
  })
  return size
}

function faultOf({ outcome, offset }: ImportResult, restart: boolean): string | null {
  switch (outcome) {
    case 'complete':
      return null
    case 'stopped':
      return `stopped: run the same command ${restart ? 'without --restart ' : ''}to continue`
    case 'truncated':
      return `the archive is truncated: it is merged up to byte ${offset}; run again with the complete file`
    case 'corrupted':
      return `the archive is corrupted: it is merged up to byte ${offset}, and the rest is skipped`
    case 'other network':
      return 'the archive belongs to another network than this database (HUB_NETWORK)'
  }
}
