import { openDataDir } from '../platform/db/data-dir.js'
import { ensureSecretKey } from '../platform/vault/secret-key.js'
import { createVault, type Vault } from '../platform/vault/vault.js'
import type { Config } from './config/config.js'

/**
 * The vault of a server or a command: by PLAZA_SECRET_KEY, or by the key in the data directory where the database is
 * our own. A database that somebody else runs may serve many machines, none of which would have the others' file.
 */
export async function openVault(config: Config): Promise<Vault> {
  if (config.plazaSecretKey !== undefined) {
    return createVault(config.plazaSecretKey.split(',').map((key) => key.trim()))
  }
  if (config.databaseUrl !== undefined) return createVault([])
  return createVault([await ensureSecretKey(await openDataDir(config.dataDir))])
}
