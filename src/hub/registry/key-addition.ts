import { createHash } from 'node:crypto'
import { KEY_GATEWAY_ADDRESS, KEY_GATEWAY_EIP_712_TYPES, keyGatewayABI } from '@farcaster/core'
import { encodeFunctionData } from 'viem'
import { recoverAccount } from '../../protocol/account-recovery.js'
import { hexOf } from '../../protocol/bytes.js'
import { recoverSigner } from '../../protocol/kinds/typed-data.js'
import { type EthAccount, signatureBytes } from './eth-account.js'

/** Metadata of this type is a signed key request; there is no other (docs/protocol.md §5.3). */
const SIGNED_KEY_REQUEST = 1

/** The chain that has the contracts: OP Mainnet. */
export const KEY_CHAIN_ID = 10

/** A key on its way to the key registry. */
export interface AddedKey {
  /** 1 is an Ed25519 key, 2 an address. */
  readonly keyType: number
  readonly key: Buffer
  /** The app's signed request, as `keyRequestMetadata` encodes it. */
  readonly metadata: Buffer
}

/** What the holder of an account signs so that somebody else may add a key to it. */
export interface KeyAddition extends AddedKey {
  /** Address, 20 bytes: the custody address of the account. */
  readonly owner: Buffer
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: number
}

/**
 * The nonce of an addition on the local network, out of what it is for: one approval of one request. It is above any
 * that the contract will ever count up to, so that what is signed here for a devnet is worth nothing on the chain.
 */
export function localNonce(purpose: string): bigint {
  const digest = createHash('sha256').update(`plaza local registry: ${purpose}`).digest()
  digest[0] = digest[0]! | 0x80
  return BigInt(hexOf(digest))
}

/** `Add` of the key gateway as EIP-712 has it (docs/protocol.md §5.3). */
function typedDataOf({ owner, keyType, key, metadata, nonce, deadline }: KeyAddition) {
  return {
    ...KEY_GATEWAY_EIP_712_TYPES,
    primaryType: 'Add',
    message: {
      owner: hexOf(owner),
      keyType,
      key: hexOf(key),
      metadataType: SIGNED_KEY_REQUEST,
      metadata: hexOf(metadata),
      nonce,
      deadline: BigInt(deadline),
    },
  } as const
}

/** The same in the JSON that wallets take for `eth_signTypedData_v4`: numbers as texts, and the domain's own type. */
export function keyAdditionForWallet(addition: KeyAddition) {
  const { domain, types, primaryType, message } = typedDataOf(addition)
  return {
    domain,
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      ...types,
    },
    primaryType,
    message: { ...message, nonce: String(message.nonce), deadline: String(message.deadline) },
  }
}

/** Signs an addition as its owner. */
export async function signKeyAddition(addition: KeyAddition, { signer }: EthAccount): Promise<Buffer> {
  return signatureBytes(await signer.signTypedData(typedDataOf(addition)))
}

/** The address (20 bytes) that signed an addition; null when the signature is none of an account. */
export function recoverKeyAdditionSigner(addition: KeyAddition, signature: Buffer): Promise<Buffer | null> {
  return recoverSigner(typedDataOf(addition), signature, recoverAccount)
}

/** The transaction by which an account adds a key to itself, as wallets take it for `eth_sendTransaction`. */
export function keyAdditionTransaction({ keyType, key, metadata }: AddedKey) {
  return {
    to: KEY_GATEWAY_ADDRESS,
    value: '0x0',
    data: encodeFunctionData({
      abi: keyGatewayABI,
      functionName: 'add',
      args: [keyType, hexOf(key), SIGNED_KEY_REQUEST, hexOf(metadata)],
    }),
  } as const
}
