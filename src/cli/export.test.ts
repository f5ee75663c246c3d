import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { makeTestDir } from '../../test/stale-test-dirs.js'
import { createProgram } from './program.js'

const { url } = await createTestDatabase()

/** Returns the lines that an export to this file prints. */
async function exportTo(file: string, databaseUrl: string): Promise<string[]> {
  const lines: string[] = []
  const program = await createProgram({
    env: { DATABASE_URL: databaseUrl },
    print: (line) => lines.push(line),
    progress: { write: () => true },
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  await program.parseAsync(['node', 'plaza', 'export', file])
  return lines
}

it('an archive is of the network of its database: another HUB_NETWORK is refused', async () => {
  const directory = await makeTestDir()
  onTestFinished(() => rm(directory, { recursive: true }))
  const { db, url: mainnet } = await createTestDatabase()
  await db`insert into hub.settings (name, value) values ('network', '1')`
  const refused = 'HUB_NETWORK: this database was created with mainnet, not devnet: set it back'
  await expect(exportTo(join(directory, 'archive'), mainnet)).rejects.toThrow(refused)
  expect(existsSync(join(directory, 'archive'))).toBe(false)
})

it('an export without a database leaves no file, so that it can be run again', async () => {
  const directory = await makeTestDir()
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'archive')
  const missing = new URL(url)
  missing.pathname = '/nowhere'
  await expect(exportTo(file, missing.href)).rejects.toThrow('"nowhere" does not exist')
  expect(existsSync(file)).toBe(false)
  expect(await exportTo(file, url)).toEqual([`${file} is complete: 0 messages and events`])
  await expect(exportTo(file, url)).rejects.toThrow('exists: resume it with --resume')
})
