import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { readPostmaster } from '../src/platform/db/cluster-process.js'
import { processIdentity } from '../src/platform/process/process-identity.js'
import { createDataDir, runCommand } from './server-process.js'

// Each test creates a durable cluster: seconds of disk and CPU.
vi.setConfig({ testTimeout: 120_000 })

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a command that waits for its input ends at %s, and its PostgreSQL with it',
  async (signal, code) => {
    const dataDir = await createDataDir()
    const command = await runCommand(['channel', 'import', '-'], { dataDir, stdin: 'pipe' })
    const postmaster = () => readPostmaster(join(dataDir, 'postgres'))
    await expect.poll(postmaster, { timeout: 60_000 }).toMatchObject({ ready: true })
    const { pid } = (await postmaster())!
    command.child.kill(signal)
    expect(await command.ended).toEqual({ code, signal: null })
    expect(processIdentity(pid)).toBeNull()
    expect(existsSync(join(dataDir, 'plaza.pid'))).toBe(false)
    expect(command.output()).toBe('')
  },
)
