#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import type { CommandContext } from './cli/context.js'
import { errorHint } from './cli/error-hint.js'
import { createProgram } from './cli/program.js'
import { nodeVersionProblem } from './platform/process/node-version.js'
import { requiredNode } from './platform/process/version.js'

/** `npm start` repeats the signal that the terminal sent. Within this time it counts as the same signal. */
const SAME_SIGNAL_MS = 1_000
const FORCED_EXIT_MS = 100

/** Percent by which the heap may grow before a collection. V8 uses 300 on a large machine. */
setFlagsFromString('--heap-growing-percent=80')

const context: CommandContext = {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  progress: process.stderr,
  stdin: process.stdin,
  stdout: process.stdout,
  onStopSignal: (stop, limitMs) => {
    let firstMs: number | null = null
    const force = () => {
      stop(true)
      setTimeout(() => process.exit(1), FORCED_EXIT_MS)
    }
    const handle = () => {
      if (firstMs === null) {
        firstMs = Date.now()
        stop(false)
        // A process with nothing left to do ends before.
        if (limitMs !== undefined) setTimeout(force, limitMs).unref()
      } else if (Date.now() - firstMs > SAME_SIGNAL_MS) force()
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, handle)
  },
}

// Ignore a closed terminal or pipe, so that the process still stops its PostgreSQL.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const [first = 'help', second = 'help'] = process.argv.slice(2)

async function run(): Promise<void> {
  const problem = nodeVersionProblem(process.versions.node, requiredNode)
  if (problem !== null) throw new Error(problem)
  const program = await createProgram(context, first === 'help' ? second : first)
  await program.parseAsync()
}

run().catch((error: unknown) => {
  const wantsStack = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '')
  const text = error instanceof Error ? (wantsStack ? error.stack : error.message) : String(error)
  process.stderr.write(`plaza: ${text}\n`)
  const hint = errorHint(error, process.env.DATABASE_URL !== undefined)
  if (hint !== null) process.stderr.write(`what to do: ${hint}\n`)
  process.exitCode = 1
})
