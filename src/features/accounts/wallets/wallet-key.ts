import { type EthAccount, ethAccount } from '../../../hub/registry/eth-account.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Vault } from '../../../platform/vault/vault.js'

/** Where the private key of a wallet belongs, for the vault. */
export const walletKeyContext = (walletId: string): string => `wallet ${walletId}`

/** A wallet as an account that signs. */
export async function openWallet(db: Queryable, vault: Vault, walletId: string): Promise<EthAccount> {
  const [row] = await db<{ sealed: Buffer }[]>`
    select sealed_key as sealed from accounts.wallets where id = ${walletId}`
  return ethAccount(vault.open(row!.sealed, walletKeyContext(walletId)))
}
