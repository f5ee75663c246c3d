import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { makeTestDir } from '../../test/stale-test-dirs.js'
import { createProgram } from './program.js'

/** Returns the lines that a command prints. */
async function plaza(env: Record<string, string>, command: string[], stdin = Readable.from([])) {
  const lines: string[] = []
  const program = await createProgram({
    env: { VERIFY_THREADS: '0', ...env },
    print: (line) => lines.push(line),
    progress: { write: () => true },
    stdin: stdin as typeof process.stdin,
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  await program.parseAsync(['node', 'plaza', ...command])
  return lines
}

it('an archive of another network than HUB_NETWORK is refused before an empty database has a network', async () => {
  const directory = await makeTestDir()
  onTestFinished(() => rm(directory, { recursive: true }))
  const [source, target] = [await createTestDatabase(), await createTestDatabase()]
  const file = join(directory, 'archive')
  await plaza({ DATABASE_URL: source.url, HUB_NETWORK: 'testnet' }, ['export', file])

  const refused = 'the archive is of testnet: set HUB_NETWORK=testnet'
  await expect(plaza({ DATABASE_URL: target.url }, ['import', file])).rejects.toThrow(refused)
  const archive = await readFile(file)
  const pieces = () => Readable.from([archive.subarray(0, 7), archive.subarray(7)])
  await expect(plaza({ DATABASE_URL: target.url }, ['import', '-'], pieces())).rejects.toThrow(refused)
  expect([...(await target.db`select name from hub.settings`)]).toEqual([])

  const env = { DATABASE_URL: target.url, HUB_NETWORK: 'testnet' }
  expect(await plaza(env, ['import', '-'], pieces())).toEqual(['merged: 0'])
})
