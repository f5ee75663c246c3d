import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { makeTestDir } from '../../test/stale-test-dirs.js'
import { createProgram } from './program.js'

const { url } = await createTestDatabase()

it.each([false, true])(
  'an interrupted demo is a failure, which scripts see; as an archive: %s',
  async (isArchive) => {
    const directory = await makeTestDir()
    onTestFinished(() => rm(directory, { recursive: true }))
    const program = await createProgram({
      env: { DATABASE_URL: url },
      print: () => {},
      progress: { write: () => true },
      stdin: Readable.from([]),
      stdout: process.stdout,
      onStopSignal: (stop) => stop(false),
      onDatabaseStop: () => () => {},
    })
    const output = isArchive ? ['--out', join(directory, 'archive')] : []
    const stopped = program.parseAsync(['node', 'plaza', 'demo', '--users', '5', '--casts', '20', ...output])
    await expect(stopped).rejects.toThrow(/^stopped.*: run the same command to continue/)
  },
)
