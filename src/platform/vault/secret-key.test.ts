import { stat, writeFile } from 'node:fs/promises'
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

it('is not replaced when the file is empty', async () => {
  const directory = await makeTestDir()
  await writeFile(join(directory, 'secret.key'), '')
  await expect(ensureSecretKey(directory)).rejects.toThrow(/is empty/)
})
