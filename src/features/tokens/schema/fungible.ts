import { type Static, Type } from '@sinclair/typebox'
import {
  deprecated,
  EthAddress,
  ImageUrl,
  namedObject,
  nullable,
  TransactionHash,
  textEnum,
} from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'
import { chainNames } from '../../../hub/chain/chains.js'

export const Network = textEnum(chainNames, {
  $id: 'Network',
  examples: ['base'],
})

/** Strings of tokens, which the hosted API describes without a pattern. */
export const tokenStrings = {
  address: Type.String({ examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'] }),
  name: Type.String({ examples: ['USD Coin'] }),
  symbol: Type.String({ examples: ['USDC'] }),
  amount: Type.String({ description: 'In units of the token.', examples: ['125.5'] }),
}
export const TokenDecimals = Type.Integer({ examples: [6] })

/** A fungible token (ERC-20). */
export const Fungible = namedObject('Fungible', {
  object: Type.Literal('fungible'),
  network: Network,
  address: tokenStrings.address,
  name: tokenStrings.name,
  symbol: tokenStrings.symbol,
  decimals: TokenDecimals,
  logo: nullable(ImageUrl),
  total_supply: nullable(
    Type.String({
      description: 'In units of the token. null unless this server indexes the owners.',
      examples: ['4050120330.25'],
    }),
  ),
})
export type Fungible = Static<typeof Fungible>

/** An amount of a token. */
export const FungibleBalance = namedObject('FungibleBalance', {
  object: Type.Literal('fungible_balance'),
  token: Fungible,
  balance: Type.Object({
    in_token: tokenStrings.amount,
    in_usd: nullable(Type.Number({ examples: [125.5] })),
  }),
})
export type FungibleBalance = Static<typeof FungibleBalance>

/** A token and the number of casts about it. */
export const SocialFungible = namedObject('SocialFungible', {
  object: Type.Literal('farcaster_fungible', {
    description: '`social_fungible` below `/v2/social`, `farcaster_fungible` below `/v2/farcaster`.',
  }),
  fungible: Fungible,
  cast_count: Type.Integer({
    description: 'Casts that embed the token by its CAIP-19 name.',
    examples: [42],
  }),
})

export const FungiblesResponse = namedObject('FungiblesResponseSchema', {
  fungibles: Type.Array(SocialFungible),
})

/** The lists by the names that they had until May 2025. */
function ownersByFormerNames(options: { readonly examples?: unknown[] }) {
  return {
    top_relevant_owners_hydrated: deprecated(
      Type.Array(User, options),
      'For clients of before June 2025. Use top_relevant_fungible_owners_hydrated.',
    ),
    all_relevant_owners_dehydrated: deprecated(
      Type.Array(UserDehydrated, options),
      'For clients of before June 2025. Use all_relevant_fungible_owners_dehydrated.',
    ),
  }
}

/** Owners of a token. */
export const RelevantFungibleOwnersResponse = namedObject('RelevantFungibleOwnersResponse', {
  top_relevant_fungible_owners_hydrated: Type.Array(User),
  all_relevant_fungible_owners_dehydrated: Type.Array(UserDehydrated),
  ...ownersByFormerNames({}),
})

/** Owners of tokens, by the addresses of the request. */
export const BulkRelevantFungibleOwnersResponse = Type.Record(Type.String(), RelevantFungibleOwnersResponse, {
  $id: 'BulkRelevantFungibleOwnersResponse',
  exampleKey: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
})

const notReady = {
  code: Type.Literal('NotReady'),
  message: Type.String({
    examples: ['the owners of the token are not indexed completely yet: try again later'],
  }),
  tokens: Type.Array(
    Type.Object({
      address: tokenStrings.address,
      network: Network,
      progress: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Indexed part of its history.',
        examples: [0.4],
      }),
    }),
  ),
}

const noOwners = { description: 'Empty.', examples: [[]] }

/** The 202 for a token whose owners are not indexed completely: older clients read the lists. */
export const FungiblesNotReady = namedObject('FungiblesNotReady', {
  ...notReady,
  top_relevant_fungible_owners_hydrated: Type.Array(User, noOwners),
  all_relevant_fungible_owners_dehydrated: Type.Array(UserDehydrated, noOwners),
  ...ownersByFormerNames({ examples: noOwners.examples }),
})

/** The same for several tokens, at each address of the request: typed clients go through the values of the map. */
export const BulkFungiblesNotReady = Type.Record(Type.String(), FungiblesNotReady, {
  $id: 'BulkFungiblesNotReady',
  exampleKey: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
})
export type FungiblesNotReady = Static<typeof FungiblesNotReady>

const TokenBalance = namedObject('TokenBalance', {
  object: Type.Literal('token_balance'),
  token: Type.Object({
    object: Type.Literal('token'),
    name: tokenStrings.name,
    symbol: tokenStrings.symbol,
    address: Type.Optional(tokenStrings.address),
    decimals: Type.Optional(TokenDecimals),
  }),
  balance: Type.Object({
    in_token: tokenStrings.amount,
    in_usdc: Type.String({ description: '`0` if the price of the token is unknown.', examples: ['125.5'] }),
  }),
})

const AddressBalance = namedObject('AddressBalance', {
  object: Type.Literal('address_balance'),
  verified_address: Type.Object({
    address: Type.String({ examples: EthAddress.examples }),
    network: Network,
  }),
  token_balances: Type.Array(TokenBalance),
})
export type AddressBalance = Static<typeof AddressBalance>

/** Token balances of a user. */
export const BalanceResponse = namedObject('BalanceResponse', {
  user_balance: Type.Optional(
    Type.Object({
      object: Type.Literal('user_balance'),
      user: UserDehydrated,
      address_balances: Type.Array(AddressBalance),
    }),
  ),
})

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
