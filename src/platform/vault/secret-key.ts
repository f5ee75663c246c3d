import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'secret.key'
const KEY_BYTES = 32

/**
 * Reads the secret key of a server from its data directory, or generates it. Only the server's user may read
 * the file. Of two processes that start together, one generates the key.
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
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const key = (await readFile(file, 'utf8')).trim()
  if (key === '')
    throw new Error(
      `${file} is empty: restore the key from a backup, or delete the file and lose all secrets that it encrypted`,
    )
  return key
}
