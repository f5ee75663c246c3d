import type { Account, Address } from 'viem'
import type { TestChain } from './test-chain.js'

/** A pool of two tokens with the reserves of the market. */
export interface Market {
  readonly pool: Address
  /** Swaps `amount` of one token for the other. Returns the hash of the transaction. */
  swap(trader: Account, given: Address, amount: bigint): Promise<string>
}

/** Opens a pool with these reserves and gives every trader the same amounts. */
export async function openMarket(
  chain: TestChain,
  kind: 'PairV2' | 'PoolV3',
  reserves: readonly (readonly [token: Address, amount: bigint])[],
  traders: readonly Account[],
): Promise<Market> {
  const [first, second] = reserves.map(([token]) => token) as [Address, Address]
  const pool = await chain.deployPool(kind, [first, second])
  for (const [address, amount] of reserves) {
    const token = { contract: 'Token', address }
    await chain.send(chain.account(0), { ...token, functionName: 'mint', args: [pool, amount] })
    for (const trader of traders) {
      await chain.send(trader, { ...token, functionName: 'mint', args: [trader.address, amount] })
      await chain.send(trader, { ...token, functionName: 'approve', args: [pool, 2n ** 255n] })
    }
  }
  const zero = await chain.read<Address>({ contract: kind, address: pool, functionName: 'token0' })
  return {
    pool,
    async swap(trader, given, amount) {
      const isFirst = given.toLowerCase() === zero.toLowerCase()
      const args = [isFirst, amount, trader.address]
      const call = { contract: kind, address: pool, functionName: 'swapExactIn', args }
      return (await chain.send(trader, call)).transactionHash
    },
  }
}
