import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPostmaster } from '../src/platform/db/cluster-process.js'
import { processIdentity } from '../src/platform/process/process-identity.js'
import { createTestDatabase } from './database.js'
import { createDataDir, runCommand, startServerProcess } from './server-process.js'

// Each test creates a durable cluster: seconds of disk and CPU.
const { url } = await createTestDatabase()

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a command that waits for its input ends at %s, and its PostgreSQL with it',
  async (signal, code) => {
    const dataDir = await createDataDir()
    const command = await runCommand(['channel', 'import', '-'], { dataDir, stdin: 'pipe' })
    command.child.stdin!.write('no JSON\n')
    await expect.poll(() => command.output()).toContain('line 1')
    const { pid } = (await readPostmaster(join(dataDir, 'postgres')))!
    command.child.kill(signal)
    expect(await command.ended).toEqual({ code, signal: null })
    expect(processIdentity(pid)).toBeNull()
    expect(existsSync(join(dataDir, 'plaza.pid'))).toBe(false)
    expect(command.output().trimEnd().split('\n')).toEqual([
      expect.stringContaining('creating a new database in'),
      expect.stringContaining('line 1'),
    ])
  },
)

it('a migration that is stopped leaves no PostgreSQL', async () => {
  const dataDir = await createDataDir()
  const command = await runCommand(['migrate'], { dataDir })
  const postmaster = () => readPostmaster(join(dataDir, 'postgres'))
  await expect.poll(postmaster).toMatchObject({ ready: true })
  const { pid } = (await postmaster())!
  command.child.kill('SIGTERM')
  await command.ended
  expect(processIdentity(pid)).toBeNull()
  expect(existsSync(join(dataDir, 'plaza.pid'))).toBe(false)
})

it('a command that goes on after a stop ends at once while it waits for its database', async () => {
  const env = {
    DATABASE_URL: 'postgres://127.0.0.1:9/plaza',
    PLAZA_SECRET_KEY: 'the-secret-key-of-this-test-0123',
  }
  const command = await runCommand(['secret', 'rotate'], { dataDir: await createDataDir(), env })
  await expect.poll(() => command.output()).toContain('database')
  command.child.kill('SIGINT')
  expect(await command.ended).toEqual({ code: 130, signal: null })
})

it('`logs -f` ends when nobody reads its output, as in a pipe to head', async () => {
  const dataDir = await createDataDir()
  const env = { DATABASE_URL: url }
  const server = await startServerProcess({ dataDir, env })
  const logs = await runCommand(['logs', '-f'], { dataDir, env })
  await expect.poll(() => logs.output()).not.toBe('')
  logs.child.stdout?.destroy()
  // Each line is a write that fails.
  await fetch(`${server.url}/v1/info`)
  expect(await logs.ended).toEqual({ code: 0, signal: null })
})
