import { type EthAccount, ethAccount } from '../../../hub/registry/eth-account.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Vault } from '../../../platform/vault/vault.js'

/** Where the private key of a fid on the shelf belongs, for the vault. */
export const fidPoolKeyContext = (poolEntryId: string): string => `shelf ${poolEntryId}`

/** The address that holds a fid until its user does, as an account that signs. */
export async function openCustodyAccount(
  db: Queryable,
  vault: Vault,
  poolEntryId: string,
): Promise<EthAccount> {
  const [row] = await db<{ sealed: Buffer | null }[]>`
    select sealed_key as sealed from accounts.fid_pool where id = ${poolEntryId}`
  if (!row?.sealed)
    throw new Error(`the key of ${fidPoolKeyContext(poolEntryId)} was given up: its fid is a user's`)
  return ethAccount(vault.open(row.sealed, fidPoolKeyContext(poolEntryId)))
}
