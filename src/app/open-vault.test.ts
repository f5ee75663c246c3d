import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openVault } from './open-vault.js'
import { configOf } from './testing/config-of.js'

const url = 'postgres://user:password@host/database'

it('PLAZA_SECRET_KEY has the keys: the first encrypts, all decrypt', async () => {
  const [old, current] = ['k'.repeat(40), 'n'.repeat(40)]
  const before = await openVault(configOf({ DATABASE_URL: url, PLAZA_SECRET_KEY: old }))
  const both = await openVault(configOf({ DATABASE_URL: url, PLAZA_SECRET_KEY: `${current}, ${old}` }))
  const only = await openVault(configOf({ DATABASE_URL: url, PLAZA_SECRET_KEY: current }))
  const secret = Buffer.from('a secret')
  expect(both.open(before.seal(secret, 'here'), 'here')).toEqual(secret)
  expect(only.open(both.seal(secret, 'here'), 'here')).toEqual(secret)
  expect(both.keyIds).toHaveLength(2)
})

it('a database that somebody else runs has no key of its own', async () => {
  const vault = await openVault(configOf({ DATABASE_URL: url }))
  expect([vault.keyId, vault.keyIds]).toEqual([null, []])
})

it('an embedded database has its key in the data directory, which stays the same', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plaza-vault-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const config = configOf({ DATA_DIR: directory })
  const secret = Buffer.from('a secret')
  const sealed = (await openVault(config)).seal(secret, 'here')
  expect(await readdir(directory)).toContain('secret.key')
  expect((await openVault(config)).open(sealed, 'here')).toEqual(secret)
})
