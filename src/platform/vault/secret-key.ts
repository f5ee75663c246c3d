import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'secret.key'
const KEY_BYTES = 32

/**
 * The secret key of a server that runs its own database, in a file beside it that only its user may read. It is made
 * when there is none; of two processes that start together one makes it.
 *
 * @param dataDir The data directory; it exists.
 */
export async function ensureSecretKey(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE)
  try {
    await writeFile(file, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
  } catch (error) {
    if (!isExisting(error)) throw error
  }
  const key = (await readFile(file, 'utf8')).trim()
  if (key === '')
    throw new Error(`${file} is empty: put back the key that was in it, or remove it to lose what it sealed`)
  return key
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
