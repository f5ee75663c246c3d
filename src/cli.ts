#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { addAppCommand } from './commands/app.js'
import { addChannelCommand } from './commands/channel.js'
import { addConfigCommand } from './commands/config.js'
import type { CommandContext } from './commands/context.js'
import { addDemoCommand } from './commands/demo.js'
import { addExportCommand } from './commands/export.js'
import { addFidCommand } from './commands/fid.js'
import { addFnameCommand } from './commands/fname.js'
import { addImportCommand } from './commands/import.js'
import { addKeyCommand } from './commands/key.js'
import { addMigrateCommand } from './commands/migrate.js'
import { addRecountCommand } from './commands/recount.js'
import { addReplayCommand } from './commands/replay.js'
import { addScoreCommand } from './commands/score.js'
import { addServeCommand } from './commands/serve.js'
import { addSignerCommand } from './commands/signer.js'
import { addStorageCommand } from './commands/storage.js'
import { version } from './lib/version.js'

/** `npm start` passes on the signal that the terminal has sent us already: within this time it is the same. */
const SAME_SIGNAL_MS = 1_000
const FORCED_EXIT_MS = 100

/**
 * How far the heap may grow beyond what lives before it is collected, in percent. V8's own answer on a large
 * machine is 300.
 */
setFlagsFromString('--heap-growing-percent=80')

const context: CommandContext = {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  progress: process.stderr,
  stdin: process.stdin,
  stdout: process.stdout,
  onStopSignal: (stop) => {
    let firstMs: number | null = null
    const handle = () => {
      if (firstMs === null) {
        firstMs = Date.now()
        stop(false)
      } else if (Date.now() - firstMs > SAME_SIGNAL_MS) {
        stop(true)
        setTimeout(() => process.exit(1), FORCED_EXIT_MS)
      }
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, handle)
  },
}

// A closed terminal or pipe takes nothing more; that is no reason to leave PostgreSQL behind.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const program = new Command('plaza').description('A server for a social network').version(version)
addServeCommand(program, context)
addMigrateCommand(program, context)
addConfigCommand(program, context)
addAppCommand(program, context)
addKeyCommand(program, context)
addChannelCommand(program, context)
addScoreCommand(program, context)
addReplayCommand(program, context)
addRecountCommand(program, context)
addDemoCommand(program, context)
addFidCommand(program, context)
addSignerCommand(program, context)
addStorageCommand(program, context)
addFnameCommand(program, context)
addExportCommand(program, context)
addImportCommand(program, context)

program.parseAsync().catch((error: unknown) => {
  const wantsStack = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '')
  const text = error instanceof Error ? (wantsStack ? error.stack : error.message) : String(error)
  process.stderr.write(`plaza: ${text}\n`)
  process.exitCode = 1
})
