import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { makeTestDir } from '../../../test/stale-test-dirs.js'
import { ensureSecretKey } from './secret-key.js'

const disk = vi.hoisted(() => ({ isFull: false }))

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  return {
    ...original,
    // A full disk takes the file, and then nothing of what belongs into it.
    writeFile: async (...[file, data, options]: Parameters<typeof original.writeFile>) => {
      await original.writeFile(file, disk.isFull ? '' : data, options)
      if (disk.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    },
  }
})

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

it('is generated after a start that could not write it', async () => {
  const directory = await makeTestDir()
  disk.isFull = true
  await expect(ensureSecretKey(directory)).rejects.toThrow('no space left')
  disk.isFull = false
  expect(await readdir(directory)).toEqual([])
  expect(await ensureSecretKey(directory)).toMatch(/^[\w-]{43}$/)
})

it('is not replaced when the file is empty', async () => {
  const directory = await makeTestDir()
  await writeFile(join(directory, 'secret.key'), '')
  await expect(ensureSecretKey(directory)).rejects.toThrow(/is empty/)
})
