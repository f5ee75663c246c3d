import { createHash } from 'node:crypto'
import { encodeFunctionData } from 'viem'
import { recoverAccount } from '../../protocol/account-recovery.js'
import { hexOf } from '../../protocol/bytes.js'
import { METADATA_TYPE_SIGNED_KEY_REQUEST } from '../../protocol/key-rules.js'
import { recoverSigner } from '../../protocol/kinds/typed-data.js'
import { keyGatewayAbi } from '../../protocol/registry-abis.js'
import { KEY_GATEWAY_ADDRESS, keyGatewayAdd } from '../../protocol/signed-types.js'
import { type EthAccount, signatureBytes } from './eth-account.js'

/** The chain of the contracts: OP Mainnet. */
export const KEY_CHAIN_ID = 10

/** A key to add to the key registry. */
export interface AddedKey {
  /** 1 for an Ed25519 key, 2 for an address. */
  readonly keyType: number
  readonly key: Buffer
  /** The signed request of the app, encoded by `keyRequestMetadata`. */
  readonly metadata: Buffer
}

/** An addition that the owner of an account signs, so that another party may submit it. */
export interface KeyAddition extends AddedKey {
  /** Custody address of the account, 20 bytes. */
  readonly owner: Buffer
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: number
}

/**
 * Derives the nonce of an addition on the local network from its purpose: one approval of one request.
 *
 * Its highest bit is set, which the contract's nonces never reach: a signature for a devnet is worth nothing
 * on the chain (docs/protocol.md §5.4).
 */
export function localNonce(purpose: string): bigint {
  const digest = createHash('sha256').update(`plaza local registry: ${purpose}`).digest()
  digest[0] = digest[0]! | 0x80
  return BigInt(hexOf(digest))
}

/** Builds `Add` of the key gateway as typed data, which the owner signs (docs/protocol.md §5.3). */
export function keyAdditionData({ owner, keyType, key, metadata, nonce, deadline }: KeyAddition) {
  return {
    ...keyGatewayAdd,
    primaryType: 'Add',
    message: {
      owner: hexOf(owner),
      keyType,
      key: hexOf(key),
      metadataType: METADATA_TYPE_SIGNED_KEY_REQUEST,
      metadata: hexOf(metadata),
      nonce,
      deadline: BigInt(deadline),
    },
  } as const
}

/** Returns the typed data for `eth_signTypedData_v4`: numbers as texts, and the type of the domain. */
export function keyAdditionForWallet(addition: KeyAddition) {
  const { domain, types, primaryType, message } = keyAdditionData(addition)
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
  return signatureBytes(await signer.signTypedData(keyAdditionData(addition)))
}

/** Recovers the address (20 bytes) that signed an addition; null if the signature is malformed. */
export function recoverKeyAdditionSigner(addition: KeyAddition, signature: Buffer): Promise<Buffer | null> {
  return recoverSigner(keyAdditionData(addition), signature, recoverAccount)
}

/** Builds the transaction by which an account adds a key to itself, for `eth_sendTransaction`. */
export function keyAdditionTransaction({ keyType, key, metadata }: AddedKey) {
  return {
    to: KEY_GATEWAY_ADDRESS,
    value: '0x0',
    data: encodeFunctionData({
      abi: keyGatewayAbi,
      functionName: 'add',
      args: [keyType, hexOf(key), METADATA_TYPE_SIGNED_KEY_REQUEST, hexOf(metadata)],
    }),
  } as const
}
