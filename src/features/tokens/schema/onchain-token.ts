import { type Static, Type } from '@sinclair/typebox'
import {
  EthAddress,
  ImageUrl,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
} from '../../../graph/view/schema/primitives.js'
import { Network, TokenDecimals, tokenStrings } from './fungible.js'

const address = Type.String({ pattern: EthAddress.pattern ?? '', examples: tokenStrings.address.examples })
const dollars = (example: string) => nullable(Type.String({ examples: [example] }))

/** The balance of an address in a token. */
const WalletBalance = namedObject('WalletBalance', {
  address,
  network: Network,
  name: tokenStrings.name,
  symbol: tokenStrings.symbol,
  decimals: TokenDecimals,
  balance: Type.String({ description: 'In the smallest unit of the token.', examples: ['125500000'] }),
  balance_usd: dollars('125.5'),
  price_usd: dollars('1'),
  image_url: nullable(ImageUrl),
})
export type WalletBalanceJson = Static<typeof WalletBalance>

/** A page of token balances of an address. */
export const WalletBalancesResponse = namedObject('WalletBalancesResponse', {
  balances: Type.Array(WalletBalance),
  next: NextCursor,
})

/** A token contract and its market. */
export const TokenMetadata = namedObject('TokenMetadata', {
  address,
  network: Network,
  name: tokenStrings.name,
  symbol: tokenStrings.symbol,
  decimals: TokenDecimals,
  total_supply: nullable(
    Type.String({ description: 'In the smallest unit of the token.', examples: ['4050120330250000'] }),
  ),
  image_url: nullable(ImageUrl),
  description: nullable(Type.String(), { examples: [null] }),
  price_usd: dollars('0.75'),
  price_source: nullable(textEnum(['onchain', 'coingecko'], { examples: ['onchain'] })),
  price_updated_at: nullable(
    Type.Integer({
      format: 'int64',
      description:
        'When a trade last set the price: Unix milliseconds. Null for a token that is worth a dollar.',
      examples: [1767225600000],
    }),
  ),
  price_change_6h_pct: nullable(Type.Number({ examples: [1.5] })),
  price_change_24h_pct: nullable(Type.Number({ examples: [-4.25] })),
  volume_6h: dollars('1520.5'),
  volume_24h: dollars('9110'),
  market_cap: dollars('1500000'),
  fdv: dollars('2000000'),
  liquidity: dollars('310000'),
  holder_count: nullable(Type.Integer({ examples: [4211] })),
})
export type TokenMetadata = Static<typeof TokenMetadata>

/** A token. */
export const TokenMetadataResponse = namedObject('TokenMetadataResponse', { token: TokenMetadata })

/** Tokens in the order of the request; null for an address without a token. */
export const TokenMetadataBatchResponse = namedObject('TokenMetadataBatchResponse', {
  tokens: Type.Array(nullable(TokenMetadata)),
})
