import { Type } from '@sinclair/typebox'
import {
  EthAddress,
  Fid,
  namedObject,
  nullable,
  TransactionHash,
  textEnum,
  Url,
} from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'

const address = Type.String({ pattern: '^0x[a-fA-F0-9]{40}$', examples: EthAddress.examples })
const network = textEnum(['base', 'optimism', 'base-sepolia'], { examples: ['base'] })
const wei = Type.String({ description: 'In wei.', examples: ['10000000000000000'] })
const quantity = Type.Integer({ minimum: 1, examples: [1] })
const recipientMembers = {
  address: Type.Optional(address),
  fid: Type.Optional(Fid),
  quantity: Type.Optional(quantity),
}

/** Mints as they would be sent, in the order of the recipients. */
export const SimulateNftMintResponse = Type.Array(
  namedObject('SimulatedNftMint', {
    recipient: Type.Object(recipientMembers),
    function_name: Type.String({ examples: ['mint'] }),
    args: Type.Array(Type.Unknown(), { examples: [['0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1', '1']] }),
    data: Type.String({ examples: ['0x40c10f19'] }),
    calldata: Type.String({ examples: ['0x40c10f19'] }),
    to: address,
    value: wei,
    estimated_total_cost_wei: wei,
    network: Type.String({ examples: ['base'] }),
    abi: nullable(Type.Array(Type.Unknown(), { examples: [[]] })),
  }),
  { $id: 'SimulateNftMintResponse' },
)

const Minted = Type.Object({
  transaction_hash: TransactionHash,
  recipient: Type.Object({
    address,
    fid: Type.Optional(Fid),
    quantity,
    tokens: Type.Optional(Type.Array(Type.Object({ token_id: Type.String({ examples: ['1'] }) }))),
  }),
  receipt: Type.Optional(
    nullable(
      Type.Object({
        status: Type.String({ examples: ['success'] }),
        gas_used: Type.String({ examples: ['98211'] }),
        block_number: Type.String({ examples: ['31180908'] }),
      }),
    ),
  ),
})

const NotMinted = Type.Object({
  error: Type.String({ examples: ['there is no user with this fid'] }),
  recipient: Type.Object({ address: Type.Optional(address), fid: Type.Optional(Fid), quantity }),
})

/** Mints, in the order of the recipients. */
export const MintNftResponse = namedObject('MintNftResponse', {
  transactions: Type.Array(Type.Union([Minted, NotMinted])),
})

/** A deployed collection. */
export const DeployErc721Response = namedObject('DeployErc721Response', {
  object: Type.Literal('nft_collection'),
  collection: Type.Object({
    address,
    name: Type.String({ examples: ['Garden maps'] }),
    symbol: Type.String({ examples: ['MAP'] }),
    network,
    transaction_hash: TransactionHash,
    type: Type.Literal('ERC721'),
  }),
})

const tokenId = Type.String({ examples: ['1'] })

/** URIs of stored metadata, in the order of the tokens. */
export const TokenMetadataUploadResponse = namedObject('TokenMetadataUploadResponse', {
  tokens: Type.Array(
    Type.Union([
      Type.Object({ token_id: tokenId, uri: Type.String({ examples: Url.examples }) }),
      Type.Object({ token_id: tokenId, error: Type.String({ examples: ['the token id is no number'] }) }),
    ]),
  ),
})

/** Mints to users, newest first. */
export const RelevantMintsResponse = namedObject('RelevantMintsResponse', {
  mints: Type.Array(
    Type.Object({
      contract_address: EthAddress,
      token_id: tokenId,
      block_number: Type.Integer({ format: 'int64', examples: [31_180_908] }),
      tx_hash: TransactionHash,
      minter: User,
    }),
  ),
})
