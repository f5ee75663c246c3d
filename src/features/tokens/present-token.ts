import { formatUnits, getAddress } from 'viem'
import type { Fungible, FungibleBalance } from '../../graph/view/schema/fungible.js'
import type { Trade, TrendingFungible } from '../../graph/view/schema/trade.js'
import type { UserDehydrated } from '../../graph/view/schema/user-dehydrated.js'
import type { Token } from './token.js'
import type { TradeRow } from './trade-lists.js'

/** What a token is shown by: also one of which nothing is kept. */
export type TokenSummary = Pick<Token, 'network' | 'address' | 'name' | 'symbol' | 'decimals' | 'logo'>

/** What there is of tokens, by id, in their smallest units; of those that are not kept whole there is nothing. */
export type Supplies = ReadonlyMap<number, bigint>

/** An address as wallets spell it: with the checksum in its capitals (ERC-55). */
export function checksummedAddress(address: Buffer): string {
  return getAddress(`0x${address.toString('hex')}`)
}

/** A token, and how much there is of it, where that is known. */
export function presentToken(token: TokenSummary, supply: bigint | undefined): Fungible {
  return {
    object: 'fungible',
    network: token.network,
    address: checksummedAddress(token.address),
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    logo: token.logo,
    total_supply: supply === undefined ? null : formatUnits(supply, token.decimals),
  }
}

/** A trade, from the tokens that it names. */
export function presentTrade(
  row: TradeRow,
  trader: UserDehydrated,
  tokens: ReadonlyMap<number, Token>,
  supplies: Supplies,
): Trade {
  const fungible = (tokenId: number, amount: string): FungibleBalance => {
    const token = tokens.get(tokenId)!
    const inToken = formatUnits(BigInt(amount), token.decimals)
    return {
      object: 'fungible_balance',
      token: presentToken(token, supplies.get(tokenId)),
      balance: { in_token: inToken, in_usd: row.usd },
    }
  }
  return {
    object: 'trade',
    trader,
    pool: {
      object: 'pool',
      address: getAddress(row.pool),
      protocol_family: row.protocolFamily,
      protocol_version: row.protocolVersion,
    },
    transaction: {
      hash: row.transactionHash,
      network: { object: 'network', name: row.network },
      net_transfer: {
        object: 'net_transfer',
        sending_fungible: fungible(row.soldId, row.sold),
        receiving_fungible: fungible(row.boughtId, row.bought),
      },
    },
  }
}

/** A token that is traded much. */
export function presentTrending(token: Token, supply: bigint | undefined): TrendingFungible {
  const { priceUsd } = token
  return {
    object: 'trending_fungible',
    fungible: {
      ...presentToken(token, supply),
      ...(priceUsd === null ? {} : { price: { in_usd: decimalString(priceUsd) } }),
    },
  }
}

/** A number without an exponent, to 18 places: clients read prices as texts. */
export function decimalString(value: number): string {
  const text = String(value)
  if (!/e/i.test(text)) return text
  // From here on numbers are whole, and `toFixed` writes exponents, too.
  if (Math.abs(value) >= 1e21) return String(BigInt(value))
  return value.toFixed(18).replace(/\.?0+$/, '')
}
