import { type Static, Type } from '@sinclair/typebox'
import { networkNames } from '../../../hub/chain/networks.js'
import { nullable, textEnum } from './schema-type.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

export const Network = textEnum(networkNames, { $id: 'Network' })

/** A fungible token. */
export const Fungible = Type.Object(
  {
    object: Type.Literal('fungible'),
    network: Network,
    address: Type.String(),
    name: Type.String(),
    symbol: Type.String(),
    decimals: Type.Integer(),
    logo: nullable(Type.String()),
    total_supply: nullable(
      Type.String({ description: 'In units of the token. Null unless its owners are kept here.' }),
    ),
  },
  { $id: 'Fungible' },
)
export type Fungible = Static<typeof Fungible>

/** An amount of a token. */
export const FungibleBalance = Type.Object(
  {
    object: Type.Literal('fungible_balance'),
    token: Fungible,
    balance: Type.Object({
      in_token: Type.String({ description: 'In units of the token.' }),
      in_usd: nullable(Type.Number()),
    }),
  },
  { $id: 'FungibleBalance' },
)
export type FungibleBalance = Static<typeof FungibleBalance>

/** A token with its activity in casts. */
export const SocialFungible = Type.Object(
  {
    object: Type.Literal('social_fungible'),
    fungible: Fungible,
    cast_count: Type.Integer({ description: 'Casts that embed the token by its CAIP-19 name.' }),
  },
  { $id: 'SocialFungible' },
)

export const FungiblesResponse = Type.Object(
  { fungibles: Type.Array(SocialFungible) },
  { $id: 'FungiblesResponseSchema' },
)

/** The owners of a token. */
export const RelevantFungibleOwnersResponse = Type.Object(
  {
    top_relevant_fungible_owners_hydrated: Type.Array(User),
    all_relevant_fungible_owners_dehydrated: Type.Array(UserDehydrated),
  },
  { $id: 'RelevantFungibleOwnersResponse' },
)

/** The owners of several tokens, by the addresses as requested. */
export const BulkRelevantFungibleOwnersResponse = Type.Record(Type.String(), RelevantFungibleOwnersResponse, {
  $id: 'BulkRelevantFungibleOwnersResponse',
})

/** The reply while owners are still being indexed: an incomplete list is not shown. */
export const FungiblesNotReady = Type.Object(
  {
    code: Type.Literal('NotReady'),
    message: Type.String(),
    tokens: Type.Array(
      Type.Object({
        address: Type.String(),
        network: Network,
        progress: Type.Number({ minimum: 0, maximum: 1, description: 'How much of its past has been read.' }),
      }),
    ),
  },
  { $id: 'FungiblesNotReady' },
)
export type FungiblesNotReady = Static<typeof FungiblesNotReady>

const TokenBalance = Type.Object(
  {
    object: Type.Literal('token_balance'),
    token: Type.Object({
      object: Type.Literal('token'),
      name: Type.String(),
      symbol: Type.String(),
      address: Type.Optional(Type.String()),
      decimals: Type.Optional(Type.Integer()),
    }),
    balance: Type.Object({
      in_token: Type.String({ description: 'In units of the token.' }),
      in_usdc: Type.String({ description: '`0` where the price of the token is not known.' }),
    }),
  },
  { $id: 'TokenBalance' },
)

const AddressBalance = Type.Object(
  {
    object: Type.Literal('address_balance'),
    verified_address: Type.Object({ address: Type.String(), network: Network }),
    token_balances: Type.Array(TokenBalance),
  },
  { $id: 'AddressBalance' },
)
export type AddressBalance = Static<typeof AddressBalance>

/** The token balances of a user. */
export const BalanceResponse = Type.Object(
  {
    user_balance: Type.Optional(
      Type.Object({
        object: Type.Literal('user_balance'),
        user: UserDehydrated,
        address_balances: Type.Array(AddressBalance),
      }),
    ),
  },
  { $id: 'BalanceResponse' },
)
export type BalanceResponse = Static<typeof BalanceResponse>
