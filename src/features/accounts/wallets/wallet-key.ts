import { type EthAccount, ethAccount } from '../../../hub/registry/eth-account.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Vault } from '../../../platform/vault/vault.js'

/** Names the private key of a wallet for the vault. */
export const walletKeyContext = (walletId: string): string => `wallet ${walletId}`

/** Decrypts a wallet as a signing account. */
export async function openWallet(db: Queryable, vault: Vault, walletId: string): Promise<EthAccount> {
  const [row] = await db<{ sealed: Buffer }[]>`
    select sealed_key as sealed from accounts.wallets where id = ${walletId}`
  return ethAccount(vault.open(row!.sealed, walletKeyContext(walletId)))
}
