import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../errors.js'

const FILE = 'secret.key'
const KEY_BYTES = 32

/**
 * Reads the secret key of a server from its data directory, or generates it. Only the server's user may read
 * the file. Of processes that start together, one generates the key; the file is whole as soon as it is there.
 */
export async function ensureSecretKey(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE)
  const key = (await readOrNull(file)) ?? (await generate(file))
  if (key.trim() === '')
    throw new Error(
      `${file} is empty: restore the key from a backup, or delete the file and lose all secrets that it encrypted`,
    )
  return key.trim()
}

async function generate(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}.draft`
  try {
    const key = `${randomBytes(KEY_BYTES).toString('base64url')}\n`
    await writeFile(draft, key, { mode: 0o600, flag: 'wx', flush: true })
    // Unlike a renamed file, a link replaces no key that another process has generated meanwhile.
    await link(draft, file)
  } catch (error) {
    if (!isError(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  return await readFile(file, 'utf8')
}

async function readOrNull(file: string): Promise<string | null> {
  return await readFile(file, 'utf8').catch((error: unknown) => {
    if (isError(error, 'ENOENT')) return null
    throw error
  })
}

function isError(error: unknown, code: string): boolean {
  return errorCode(error) === code
}
