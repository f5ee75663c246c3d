import { type Static, Type } from '@sinclair/typebox'
import { FungibleBalance, Network, TokenDecimals, tokenStrings } from './fungible.js'
import { ImageUrl, TransactionHash } from './primitives.js'
import { namedObject, nullable } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A swap of one token for another. */
export const Trade = namedObject('Trade', {
  object: Type.Literal('trade'),
  trader: UserDehydrated,
  pool: Type.Optional(
    Type.Object({
      object: Type.Literal('pool'),
      address: Type.String({ examples: ['0xd0b53d9277642d899df5c87a3966a349a798f224'] }),
      protocol_family: Type.Optional(Type.String({ examples: ['uniswap'] })),
      protocol_version: Type.Optional(Type.String({ examples: ['v3'] })),
    }),
  ),
  transaction: Type.Object({
    hash: TransactionHash,
    network: Type.Object({
      object: Type.Literal('network'),
      name: Type.String({ examples: ['base'] }),
    }),
    net_transfer: Type.Object({
      object: Type.Literal('net_transfer'),
      sending_fungible: FungibleBalance,
      receiving_fungible: FungibleBalance,
    }),
  }),
})
export type Trade = Static<typeof Trade>

export const FungibleTradesResponse = namedObject('FungibleTradesResponse', {
  object: Type.Literal('fungible_trades'),
  trades: Type.Array(Trade),
})

/** A trending token and its price. */
const TrendingFungible = namedObject('TrendingFungible', {
  object: Type.Literal('trending_fungible'),
  fungible: Type.Object({
    object: Type.Literal('fungible'),
    network: Network,
    address: tokenStrings.address,
    name: tokenStrings.name,
    symbol: tokenStrings.symbol,
    decimals: TokenDecimals,
    logo: nullable(ImageUrl),
    total_supply: nullable(Type.String({ examples: ['4050120330.25'] })),
    price: Type.Optional(Type.Object({ in_usd: Type.String({ examples: ['1.0'] }) })),
  }),
})
export type TrendingFungible = Static<typeof TrendingFungible>

export const TrendingFungiblesResponse = namedObject('TrendingFungiblesResponse', {
  trending: Type.Array(TrendingFungible),
})
