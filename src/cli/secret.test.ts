import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { ensureApp } from '../features/apps/apps.js'
import { createSigner } from '../features/signers/signer-record.js'
import { createVault } from '../platform/vault/vault.js'
import { createProgram } from './program.js'

const { db, url } = await createTestDatabase()
/** Makes the command line; a command that can be stopped is, as soon as it says so. */
async function programOf(lines: string[], isStopped: boolean) {
  return await createProgram({
    env: { DATABASE_URL: url, PLAZA_SECRET_KEY: `${current},${old}` },
    print: (line) => lines.push(line),
    progress: { write: () => true },
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: (stop) => isStopped && stop(false),
    onDatabaseStop: () => () => {},
  })
}

const [lost, old, current] = ['lost', 'old', 'current'].map(
  (name) => `the-${name}-key-of-this-test-0123456789`,
)

it('plaza secret rotate: goes through all tables, then says how many secrets no key decrypts', async () => {
  const appId = await ensureApp(db, 'mine')
  for (const key of [lost, old]) await createSigner({ db, vault: createVault([key!]) }, appId)
  const lines: string[] = []
  const program = await programOf(lines, false)
  await expect(program.parseAsync(['node', 'plaza', 'secret', 'rotate'])).rejects.toThrow(
    /unchanged \(signers\.signers: 1\): add their key to the end of PLAZA_SECRET_KEY/,
  )
  expect(lines).toEqual([
    'signers.signers: 1 re-encrypted',
    'webhooks.secrets: 0 re-encrypted',
    'accounts.fid_pool: 0 re-encrypted',
    'accounts.wallets: 0 re-encrypted',
    'apps.apps: 0 re-encrypted',
  ])
})

it('plaza secret rotate: says how to go on after a stop', async () => {
  const program = await programOf([], true)
  await expect(program.parseAsync(['node', 'plaza', 'secret', 'rotate'])).rejects.toThrow(
    'stopped: run the same command to continue',
  )
})
