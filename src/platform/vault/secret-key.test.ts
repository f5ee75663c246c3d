import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTestDir } from '../../../test/stale-test-dirs.js'
import { ensureSecretKey } from './secret-key.js'

it('is generated once and readable only by its owner', async () => {
  const directory = await makeTestDir()
  const key = await ensureSecretKey(directory)
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(await ensureSecretKey(directory)).toBe(key)
  expect((await stat(join(directory, 'secret.key'))).mode & 0o777).toBe(0o600)
})

it('is one key for all that start together, and no other file stays', async () => {
  const directory = await makeTestDir()
  const keys = await Promise.all(Array.from({ length: 20 }, () => ensureSecretKey(directory)))
  expect(new Set(keys).size).toBe(1)
  expect(await readdir(directory)).toEqual(['secret.key'])
})

it('is not replaced when the file is empty', async () => {
  const directory = await makeTestDir()
  await writeFile(join(directory, 'secret.key'), '')
  await expect(ensureSecretKey(directory)).rejects.toThrow(/is empty/)
})
