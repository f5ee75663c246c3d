import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  DeployErc721Response,
  MintNftResponse,
  SimulateNftMintResponse,
  TokenMetadataUploadResponse,
} from '../../src/features/nfts/schema/nft.js'
import { SendFungiblesResponse } from '../../src/features/payments/schema/fungible-send.js'
import { TransactionFrameResponse } from '../../src/features/payments/schema/payment.js'
import { X402SignatureResponse, X402SiwxResponse } from '../../src/features/payments/schema/x402.js'
import {
  SubscribedToResponse,
  SubscribersResponse,
  SubscriptionCheckResponse,
  SubscriptionsResponse,
} from '../../src/features/subscriptions/schema/subscription.js'
import {
  TokenMetadataBatchResponse,
  TokenMetadataResponse,
  WalletBalancesResponse,
} from '../../src/features/tokens/schema/onchain-token.js'
import { published } from './conformance.js'

/** The client's generator has dropped the null that the description has for unknown tokens. */
interface TokenBatch {
  readonly tokens: (Client.GetTokenMetadata200ResponseToken | null)[]
}

/** It has merged the two forms of a receiver, an address or a fid, into one with both. */
interface SimulatedMint extends Omit<Client.SimulateNftMintResponseInner, 'recipient'> {
  readonly recipient: Partial<Client.SimulateNftMintResponseInnerRecipient>
}

/** Wallets, payments, subscriptions and NFTs. */
export const onchainReplies: Readonly<Record<string, TSchema>> = {
  '/onchain/token/balances': published<Client.GetWalletBalances200Response>()(WalletBalancesResponse),
  '/onchain/token/metadata': published<Client.GetTokenMetadata200Response>()(TokenMetadataResponse),
  '/onchain/token/metadata/batch': published<TokenBatch>()(TokenMetadataBatchResponse),
  'user/subscribed_to': published<Client.SubscribedToResponse>()(SubscribedToResponse),
  'user/subscribers': published<Client.SubscribersResponse>()(SubscribersResponse),
  'user/subscriptions_created': published<Client.SubscriptionsResponse>()(SubscriptionsResponse),
  '/stp/subscription_check': published<Client.SubscriptionCheckResponse>()(SubscriptionCheckResponse),
  'POST /signature/x402': published<Client.CreateX402Signature200Response>()(X402SignatureResponse),
  'POST /signature/x402/siwx': published<Client.CreateX402Siwx200Response>()(X402SiwxResponse),
  'frame/transaction/pay': published<Client.TransactionFrameResponse>()(TransactionFrameResponse),
  'POST frame/transaction/pay': published<Client.TransactionFrameResponse>()(TransactionFrameResponse),
  'POST fungible/send': published<Client.TransactionSendFungiblesResponse>()(SendFungiblesResponse),
  'POST nft/deploy/erc721': published<Client.DeployErc721201Response>()(DeployErc721Response),
  'nft/mint': published<SimulatedMint[]>()(SimulateNftMintResponse),
  'POST nft/mint': published<Client.MintNft200Response>()(MintNftResponse),
  'POST nft/metadata/token': published<Client.UploadTokenMetadata200Response>()(TokenMetadataUploadResponse),
  // Always 501.
}
