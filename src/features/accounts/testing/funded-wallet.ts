import { newPrivateKey } from '../../../hub/registry/eth-account.js'
import type { Database } from '../../../platform/db/connection.js'
import { ensureApp } from '../../apps/apps.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { LOCAL_NETWORK } from '../ledger/local-ledger.js'
import { saveWallet, type Wallet } from '../wallets/wallets.js'

/** Price of a registration in the local registry, in wei. */
export const LOCAL_PRICE = 82_000_000_000_000n

/** Options of a funded wallet. */
export interface FundedWalletOptions {
  readonly appId?: string
  /** In wei. */
  readonly balance?: bigint
  readonly fidPoolSize?: number
}

/** Creates a wallet with money on the local network. */
export async function fundedWallet(
  db: Database,
  { appId, balance = 100n * LOCAL_PRICE, fidPoolSize = 1 }: FundedWalletOptions = {},
): Promise<Wallet> {
  return await saveWallet(db, testVault, {
    appId: appId ?? (await ensureApp(db, 'test')),
    network: LOCAL_NETWORK,
    privateKey: newPrivateKey(),
    fidPoolSize,
    balance,
  })
}
