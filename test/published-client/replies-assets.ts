import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  BalanceResponse,
  BulkRelevantFungibleOwnersResponse,
  FungiblesResponse,
  FungibleTradesResponse,
  RelevantFungibleOwnersResponse,
  TrendingFungiblesResponse,
} from '../../src/features/tokens/schema/fungible.js'
import { published } from './conformance.js'

/** Tokens, their owners and their trades. */
export const assetReplies: Readonly<Record<string, TSchema>> = {
  'fungible/owner/relevant': published<Client.RelevantFungibleOwnersResponse>()(
    RelevantFungibleOwnersResponse,
  ),
  'fungible/owner/relevant/bulk': published<Client.BulkRelevantFungibleOwnersResponse>()(
    BulkRelevantFungibleOwnersResponse,
  ),
  fungibles: published<Client.FungiblesResponseSchema>()(FungiblesResponse),
  'fungible/trades': published<Client.FetchFungibleTrades200Response>()(FungibleTradesResponse),
  'fungible/trending': published<Client.FetchTrendingFungibles200Response>()(TrendingFungiblesResponse),
  'user/balance': published<Client.BalanceResponse>()(BalanceResponse),
}
