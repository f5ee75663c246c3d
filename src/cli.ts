#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import type { CommandContext } from './cli/context.js'
import { errorHint } from './cli/error-hint.js'
import { createProgram } from './cli/program.js'
import { StoppedError, StopSignals } from './cli/stop-signals.js'
import { errorCode } from './platform/errors.js'
import { nodeVersionProblem } from './platform/process/node-version.js'
import { requiredNode } from './platform/process/version.js'

/** Percent by which the heap may grow before a collection. V8 uses 300 on a large machine. */
setFlagsFromString('--heap-growing-percent=80')

const stops = new StopSignals(process)
const context: CommandContext = {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  progress: process.stderr,
  stdin: process.stdin,
  stdout: process.stdout,
  onStopSignal: (stop, limitMs) => stops.onStop(stop, limitMs),
  onDatabaseStop: (stop) => stops.onDatabaseStop(stop),
}

const [first = 'help', second = 'help'] = process.argv.slice(2)

// Ignore a closed terminal or pipe, so that the process still stops its PostgreSQL.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// A command that goes on until it is stopped, such as `logs -f`, has nothing more to do then; a server has.
if (first !== 'serve') {
  process.stdout.on('error', (error) => {
    if (errorCode(error) === 'EPIPE') stops.stopCommand()
  })
}

async function run(): Promise<void> {
  const problem = nodeVersionProblem(process.versions.node, requiredNode)
  if (problem !== null) throw new Error(problem)
  const program = await createProgram(context, first === 'help' ? second : first)
  await program.parseAsync()
}

async function fail(error: unknown): Promise<void> {
  // What the command was waiting for, such as standard input, may still be open.
  if (error instanceof StoppedError) process.exit(error.exitCode)
  process.exitCode = 1
  const wantsStack = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '')
  const text = error instanceof Error ? (wantsStack ? error.stack : error.message) : String(error)
  process.stderr.write(`plaza: ${text}\n`)
  // Not for commands that work: the help of all needs no configuration.
  const { readConfig } = await import('./app/config/config.js')
  const read = readConfig(process.env)
  if ('problems' in read) return
  const hint = errorHint(error, read.config.databaseUrl !== undefined, read.config.dataDir)
  if (hint !== null) process.stderr.write(`what to do: ${hint}\n`)
}

run().catch(fail)
