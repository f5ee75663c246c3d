import { randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { ethAddressParameter } from '../../../api/parameters.js'
import { textEnum } from '../../../graph/view/schema/primitives.js'
import { callOrNull } from '../../../hub/chain/batch-call.js'
import { isRefusal, PlazaError, refusalError } from '../../../platform/errors.js'
import { bytesOfHex, hexOf } from '../../../protocol/bytes.js'
import {
  appWallet,
  insufficientFundsText,
  unknownWallet,
  walletHeaders,
} from '../../accounts/routes/paying-wallet.js'
import { defineOperation } from '../../operation.js'
import { repeatText, submitOrders } from '../../payments/orders.js'
import { paymentRpc } from '../../payments/payment-chains.js'
import { readRecordedCall } from '../../payments/recorded-call.js'
import { spendingWallet } from '../../payments/wallet-ledgers.js'
import { idemConflict, idemMember } from '../../publishing/idem.js'
import { fromChain } from '../../tokens/token-metadata.js'
import { deployedAddress, encodeDeployment } from '../collection-contract.js'
import { saveCollection, saveTokenMetadata } from '../nft-metadata.js'
import { DeployErc721Response, TokenMetadataUploadResponse } from '../schema/nft.js'
import { nftNetworkParameter } from './mint.js'

const MAX_UINT48 = 281_474_976_710_655
const MAX_TEXT_LENGTH = 4_096
const MAX_URL_LENGTH = 2_048
const MAX_TOKENS = 200
const MAX_ATTRIBUTES = 100
/** Longest time until the reply to a deployment: the request has 60 s. */
const WAIT_MS = 45_000

const text = (description: string, maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })
const limit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UINT48, description, examples: [0] }))

const DeployErc721ReqBody = Type.Object({
  name: text('Name of the collection.', 255, 'Garden maps'),
  symbol: text('Symbol of the collection.', 32, 'MAP'),
  network: nftNetworkParameter,
  description: Type.Optional(text('Description of the collection.', MAX_TEXT_LENGTH, 'Maps of gardens')),
  image: Type.Optional(text('URL of its image.', MAX_URL_LENGTH, 'https://example.com/images/garden.png')),
  external_link: Type.Optional(text('URL of its page.', MAX_URL_LENGTH, 'https://example.com/garden')),
  max_supply: limit('Most tokens; 0 for no limit.'),
  royalty_bps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_500,
      description: 'Royalty in hundredths of a percent.',
      examples: [500],
    }),
  ),
  royalty_recipient: Type.Optional({
    ...ethAddressParameter({ description: 'Receiver of royalties; by default the wallet.', examples: [] }),
    // The contract keeps it for ever, and the price.
    refusesEmpty: true,
  }),
  mint_config: Type.Optional(
    Type.Object(
      {
        price_per_token: Type.Optional(
          Type.String({
            pattern: '^[0-9]{1,57}$',
            patternText: 'an amount in wei: a whole number',
            refusesEmpty: true,
            description: 'Price of a token in wei; by default 0.',
            examples: ['0'],
          }),
        ),
        max_per_tx: limit('Most tokens of a mint; 0 for no limit.'),
        max_per_wallet: limit('Most tokens that an address mints; 0 for no limit.'),
        start_timestamp: limit('Start of the mint in Unix seconds; by default now.'),
        end_timestamp: limit('End of the mint in Unix seconds; by default none.'),
      },
      { description: 'Settings of the public mint.' },
    ),
  ),
  idem: idemMember,
})

/** `POST nft/deploy/erc721` */
export const deployErc721 = defineOperation({
  method: 'POST',
  path: 'nft/deploy/erc721',
  tag: 'Onchain',
  summary: 'Deploy an ERC-721 contract',
  description:
    'Deploys an ERC-721 collection that the wallet owns and pays for: public mint, limits, royalties (ERC-2981), ' +
    'metadata on this server. The reply comes when a block includes it, at the latest after 45 seconds. Requests with ' +
    'the same `idem` deploy once; without it, each request deploys another collection.',
  body: DeployErc721ReqBody,
  headers: walletHeaders,
  longWait: { limitMs: 60_000, reason: 'blocks to include the contract' },
  reply: DeployErc721Response,
  status: 201,
  notFound: unknownWallet,
  paymentRequired: insufficientFundsText,
  conflict: `${idemConflict} Or the deployment is refused by the network.`,

  async handle(context, body, { appId }, headers) {
    const untilMs = performance.now() + WAIT_MS
    const { network, idem = randomUUID() } = body
    const { wallet, ledger } = await spendingWallet(context, headers, { appId, network })
    const purpose = `deploy ${appId} ${idem}`
    const baseUri = `${context.publicUrl()}/nft/metadata/${network}/`
    const config = collectionConfig(body, { owner: getAddress(hexOf(wallet.address)), baseUri })
    const call = encodeDeployment(config, purpose)
    const requestKey = JSON.stringify([wallet.id, { ...body, idem: undefined }])
    const order = { walletId: wallet.id, purpose, requestKey, call, value: 0n }
    const save = async (address: Address) =>
      await saveCollection(
        context.writerDb,
        { network, address: bytesOfHex(address) },
        { walletId: wallet.id, metadata: collectionDocument(body, config.royaltyRecipient) },
      )
    // Before it is paid for: nobody would write its document after a kill.
    await save(deployedAddress((await readRecordedCall(context.writerDb, order)) ?? call))
    const [result] = await submitOrders(ledger, [order], {
      untilMs,
      forBlocks: true,
      retryText: repeatText(idem),
    })
    if (isRefusal(result!)) throw refusalError(result)
    if (result!.receipt?.succeeded === false) throw new PlazaError('conflict', 'the deployment was reverted')
    // Of the first request with this idem: `PUBLIC_URL` and the contract's code, which the address depends on, change.
    const recorded = await readRecordedCall(context.writerDb, order)
    if (recorded === null) throw new PlazaError('conflict', 'the deployment was reverted')
    const address = deployedAddress(recorded)
    // Again, over that of an earlier request that was refused.
    await save(address)
    const { name, symbol } = body
    return {
      object: 'nft_collection' as const,
      collection: { address, name, symbol, network, transaction_hash: result!.hash, type: 'ERC721' as const },
    }
  },
})

function collectionConfig(
  body: Static<typeof DeployErc721ReqBody>,
  { owner, baseUri }: { readonly owner: Hex; readonly baseUri: string },
) {
  const { name, symbol, max_supply = 0, royalty_bps = 0, royalty_recipient, mint_config = {} } = body
  return {
    name,
    symbol,
    baseUri,
    owner,
    royaltyRecipient: royalty_recipient === undefined ? owner : getAddress(royalty_recipient.toLowerCase()),
    royaltyBps: BigInt(royalty_bps),
    maxSupply: BigInt(max_supply),
    price: BigInt(mint_config.price_per_token ?? 0),
    maxPerTx: BigInt(mint_config.max_per_tx ?? 0),
    maxPerWallet: BigInt(mint_config.max_per_wallet ?? 0),
    startTimestamp: BigInt(mint_config.start_timestamp ?? 0),
    endTimestamp: BigInt(mint_config.end_timestamp ?? 0),
  }
}

/** The document behind `contractURI`, as marketplaces read it. */
function collectionDocument(body: Static<typeof DeployErc721ReqBody>, royaltyRecipient: Hex): object {
  const { name, symbol, description, image, external_link, royalty_bps = 0 } = body
  return {
    name,
    symbol,
    ...(description === undefined ? {} : { description }),
    ...(image === undefined ? {} : { image }),
    ...(external_link === undefined ? {} : { external_link }),
    seller_fee_basis_points: royalty_bps,
    fee_recipient: royaltyRecipient,
  }
}

const url = (description: string) =>
  Type.Optional(text(description, MAX_URL_LENGTH, 'https://example.com/garden'))

const TokenMetadataMember = Type.Object({
  name: text('Name of the token.', 1_024, 'Map 1'),
  image: text('URL of its image.', MAX_URL_LENGTH, 'https://example.com/images/garden.png'),
  description: Type.Optional(text('Description of the token.', MAX_TEXT_LENGTH, 'The first map')),
  external_url: url('URL of its page.'),
  animation_url: url('URL of a video, audio or page.'),
  youtube_url: url('URL of a video on YouTube.'),
  background_color: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{6}$',
      patternText: 'a color of six hex digits, without #',
      description: 'Background color: six hex digits.',
      examples: ['ffffff'],
    }),
  ),
  attributes: Type.Optional(
    Type.Array(
      Type.Object({
        trait_type: Type.String({
          maxLength: 256,
          description: 'Name of the attribute; empty for one that is a value only.',
          examples: ['Beds'],
        }),
        value: Type.Union([Type.String({ maxLength: 1_024 }), Type.Number()], {
          description: 'Value of the attribute.',
          examples: [12],
        }),
        display_type: Type.Optional(
          textEnum(['number', 'boost_number', 'boost_percentage', 'date'], {
            description: 'How a number is shown.',
            examples: ['number'],
          }),
        ),
        max_value: Type.Optional(Type.Number({ description: 'Largest value.', examples: [20] })),
      }),
      { maxItems: MAX_ATTRIBUTES, description: 'Attributes of the token.' },
    ),
  ),
})

const ownerAbi = parseAbi(['function owner() view returns (address)'])
const tokenIdPattern = /^(0|[1-9][0-9]{0,77})$/

/** `POST nft/metadata/token` */
export const uploadTokenMetadata = defineOperation({
  method: 'POST',
  path: 'nft/metadata/token',
  tag: 'Onchain',
  summary: 'Upload NFT token metadata',
  description:
    'Stores metadata of tokens and serves it on this server, where collections of `nft/deploy/erc721` look for it. The ' +
    'wallet must own the contract (`owner()`). Metadata that is there already is replaced.',
  body: Type.Object({
    contract_address: ethAddressParameter({ description: 'Address of the ERC-721 contract.' }),
    network: nftNetworkParameter,
    tokens: Type.Array(
      Type.Object({
        token_id: Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'Id of the token.',
          examples: ['1'],
        }),
        metadata: TokenMetadataMember,
      }),
      { minItems: 1, maxItems: MAX_TOKENS, description: 'Tokens with their metadata.' },
    ),
  }),
  headers: walletHeaders,
  reply: TokenMetadataUploadResponse,
  notFound: `${unknownWallet} Or there is no contract at the address.`,
  forbidden: 'The wallet does not own the contract.',

  async handle(context, { contract_address, network, tokens }, { appId }, headers) {
    const wallet = await appWallet(context, headers, appId)
    const rpc = paymentRpc(context.tokenTracking.rpcs, network)
    const contract = contract_address.toLowerCase() as Hex
    const data = encodeFunctionData({ abi: ownerAbi })
    const owner = await fromChain(rpc, (endpoint) => callOrNull(endpoint, { to: contract, data }))
    if (owner === null) {
      const message = `there is no contract with an owner at ${contract_address} on ${network}`
      throw new PlazaError('not_found', message, { property: 'contract_address' })
    }
    if (!owner.endsWith(wallet.address.toString('hex'))) {
      throw new PlazaError('forbidden', 'the wallet does not own the contract', {
        property: 'contract_address',
      })
    }
    const valid = tokens.filter(({ token_id }) => tokenIdPattern.test(token_id))
    await saveTokenMetadata(
      context.writerDb,
      { network, address: bytesOfHex(contract) },
      valid.map(({ token_id: tokenId, metadata }) => ({ tokenId, metadata })),
    )
    const base = `${context.publicUrl()}/nft/metadata/${network}/${contract}`
    return {
      tokens: tokens.map(({ token_id }) =>
        tokenIdPattern.test(token_id)
          ? { token_id, uri: `${base}/${token_id}` }
          : { token_id, error: 'the token id is no decimal number of at most 78 digits' },
      ),
    }
  },
})
