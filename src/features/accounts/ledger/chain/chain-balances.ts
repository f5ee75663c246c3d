import type { ChainNetwork } from '../../../../hub/chain/chain-settings.js'
import type { Queryable } from '../../../../platform/db/connection.js'
import { hexOf } from '../../../../protocol/bytes.js'
import type { AccountLedger, Payer } from '../account-ledger.js'
import { reservedAmount } from './attempts.js'
import type { WalletRpc } from './wallet-rpc.js'

/** Spendable balances of wallets on a chain: the balance minus the reserve of open transactions. */
export class ChainBalances implements Pick<AccountLedger, 'network' | 'available'> {
  readonly network: string
  readonly #rpc: Pick<WalletRpc, 'balance'>

  constructor(rpc: Pick<WalletRpc, 'balance'>, { chainId }: Pick<ChainNetwork, 'chainId'>) {
    this.network = `eip155:${chainId}`
    this.#rpc = rpc
  }

  async available(db: Queryable, payer: Payer): Promise<bigint> {
    return await (await this.fetchAvailable(payer))(db)
  }

  /**
   * Fetches the balance from the chain.
   *
   * @returns A function that returns the spendable amount.
   */
  async fetchAvailable({ id, address }: Payer): Promise<(db: Queryable) => Promise<bigint>> {
    const balance = await this.#rpc.balance(hexOf(address))
    return async (db) => {
      const reserved = await reservedAmount(db, id)
      return balance > reserved ? balance - reserved : 0n
    }
  }
}
