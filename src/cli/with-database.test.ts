import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createDataDir } from '../../test/server-process.js'
import { createProgram } from './program.js'

/** Runs a command in this process, and returns why it failed. */
async function failureOf(env: Record<string, string>, ...args: string[]): Promise<string | null> {
  const program = await createProgram({
    env,
    print: () => {},
    progress: process.stderr,
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  return await program.parseAsync(['node', 'plaza', ...args]).then(
    () => null,
    (error: Error) => error.message,
  )
}

it.each(['status', 'logs'])('plaza %s without a server: says how it finds one', async (command) => {
  const dataDir = await createDataDir()
  expect(await failureOf({ DATA_DIR: dataDir }, command)).toBe(
    `no server is running on ${dataDir}: start it, or set DATABASE_URL or DATA_DIR as for the server`,
  )
})
