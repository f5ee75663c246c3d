import { type EthAccount, ethAccount } from '../../../hub/registry/eth-account.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Vault } from '../../../platform/vault/vault.js'

/** Where the private key of a fid on the shelf belongs, for the vault. */
export const shelfKeyPlace = (shelfId: string): string => `shelf ${shelfId}`

/** The address that holds a fid until its user does, as an account that signs. */
export async function openHolder(db: Queryable, vault: Vault, shelfId: string): Promise<EthAccount> {
  const [row] = await db<{ sealed: Buffer | null }[]>`
    select sealed_key as sealed from accounts.shelf where id = ${shelfId}`
  if (!row?.sealed) throw new Error(`the key of ${shelfKeyPlace(shelfId)} was given up: its fid is a user's`)
  return ethAccount(vault.open(row.sealed, shelfKeyPlace(shelfId)))
}
