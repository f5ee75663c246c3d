import { type EthAccount, ethAccount } from '../../../hub/registry/eth-account.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Vault } from '../../../platform/vault/vault.js'

/**
 * Names the private key of a pool fid for the vault. The text is the additional data of stored ciphertexts
 * and must not change.
 */
export const fidPoolKeyContext = (poolEntryId: string): string => `shelf ${poolEntryId}`

/** Decrypts the address that holds a pool fid until its user does, as a signing account. */
export async function openCustodyAccount(
  db: Queryable,
  vault: Vault,
  poolEntryId: string,
): Promise<EthAccount> {
  const [row] = await db<{ sealed: Buffer | null }[]>`
    select sealed_key as sealed from accounts.fid_pool where id = ${poolEntryId}`
  if (!row?.sealed)
    throw new Error(`the key of ${fidPoolKeyContext(poolEntryId)} was deleted: its fid belongs to a user`)
  return ethAccount(vault.open(row.sealed, fidPoolKeyContext(poolEntryId)))
}
