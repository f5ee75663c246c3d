import { type Static, Type } from '@sinclair/typebox'
import { FungibleBalance, Network } from './fungible.js'
import { nullable } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A swap of one token for another. */
export const Trade = Type.Object(
  {
    object: Type.Literal('trade'),
    trader: UserDehydrated,
    pool: Type.Optional(
      Type.Object({
        object: Type.Literal('pool'),
        address: Type.String(),
        protocol_family: Type.Optional(Type.String()),
        protocol_version: Type.Optional(Type.String()),
      }),
    ),
    transaction: Type.Object({
      hash: Type.String(),
      network: Type.Object({ object: Type.Literal('network'), name: Type.String() }),
      net_transfer: Type.Object({
        object: Type.Literal('net_transfer'),
        sending_fungible: FungibleBalance,
        receiving_fungible: FungibleBalance,
      }),
    }),
  },
  { $id: 'Trade' },
)
export type Trade = Static<typeof Trade>

export const FungibleTradesResponse = Type.Object(
  { object: Type.Literal('fungible_trades'), trades: Type.Array(Trade) },
  { $id: 'FungibleTradesResponse' },
)

/** A token with many trades, and its price. */
const TrendingFungible = Type.Object(
  {
    object: Type.Literal('trending_fungible'),
    fungible: Type.Object({
      object: Type.Literal('fungible'),
      network: Network,
      address: Type.String(),
      name: Type.String(),
      symbol: Type.String(),
      decimals: Type.Integer(),
      logo: nullable(Type.String()),
      total_supply: nullable(Type.String()),
      price: Type.Optional(Type.Object({ in_usd: Type.String() })),
    }),
  },
  { $id: 'TrendingFungible' },
)
export type TrendingFungible = Static<typeof TrendingFungible>

export const TrendingFungiblesResponse = Type.Object(
  { trending: Type.Array(TrendingFungible) },
  { $id: 'TrendingFungiblesResponse' },
)
