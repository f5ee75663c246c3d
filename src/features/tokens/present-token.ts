import { formatUnits, getAddress } from 'viem'
import type { UserDehydrated } from '../../graph/view/schema/user-dehydrated.js'
import type { Fungible, FungibleBalance, Trade, TrendingFungible } from './schema/fungible.js'
import type { Token } from './token.js'
import type { TradeRow } from './trade-lists.js'

/** Fields that a token is rendered from; it need not be tracked. */
export type TokenSummary = Pick<Token, 'network' | 'address' | 'name' | 'symbol' | 'decimals' | 'logo'>

/** Formats an address with its ERC-55 checksum. */
export function checksummedAddress(address: Buffer): string {
  return getAddress(`0x${address.toString('hex')}`)
}

/** Renders a token, with its supply when known. */
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

/** Renders a trade with its tokens. */
export function presentTrade(
  row: TradeRow,
  trader: UserDehydrated,
  tokens: ReadonlyMap<number, Token>,
  /** By token id in the smallest unit; only of backfilled tokens. */
  supplies: ReadonlyMap<number, bigint>,
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

/** Renders a frequently traded token. */
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

/** Formats a number without an exponent, with 18 decimals: clients read prices as strings. */
export function decimalString(value: number): string {
  const text = String(value)
  if (!/e/i.test(text)) return text
  // From here on numbers are whole, and `toFixed` uses exponents too.
  if (Math.abs(value) >= 1e21) return String(BigInt(value))
  return value.toFixed(18).replace(/\.?0+$/, '')
}
