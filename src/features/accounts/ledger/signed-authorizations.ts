import {
  ID_GATEWAY_EIP_712_TYPES,
  ID_REGISTRY_EIP_712_TYPES,
  KEY_GATEWAY_EIP_712_TYPES,
  KEY_REGISTRY_EIP_712_TYPES,
} from '@farcaster/core'
import type { TypedDataDefinition } from 'viem'
import { type EthAccount, signatureBytes } from '../../../hub/registry/eth-account.js'
import type { AddedKey } from '../../../hub/registry/key-addition.js'
import { recoverAccount } from '../../../protocol/account-recovery.js'
import { hexOf } from '../../../protocol/bytes.js'
import { recoverSigner } from '../../../protocol/kinds/typed-data.js'

/**
 * EIP-712 data that the holder of an address signs so that another account may send and pay for the
 * transaction.
 *
 * Uses the domains of the real contracts on every network (docs/protocol.md §5.3). `nonce` is the signer's
 * nonce at the contract, `deadline` is in Unix seconds, addresses have 20 bytes.
 */
export type Authorization = TypedDataDefinition

/** Metadata type of keys: a signed key request (docs/protocol.md §5.3). */
const SIGNED_KEY_REQUEST = 1

interface NonceAndDeadline {
  readonly nonce: bigint
  readonly deadline: number
}

/** `Register` of the id gateway: `to` receives a new fid. */
export function registerAuthorization({
  to,
  recovery,
  nonce,
  deadline,
}: NonceAndDeadline & { readonly to: Buffer; readonly recovery: Buffer }): Authorization {
  return {
    ...ID_GATEWAY_EIP_712_TYPES,
    primaryType: 'Register',
    message: { to: hexOf(to), recovery: hexOf(recovery), nonce, deadline: BigInt(deadline) },
  }
}

/** `Transfer` of the id registry: sender and receiver sign the same data with their own nonces. */
export function transferAuthorization({
  fid,
  to,
  nonce,
  deadline,
}: NonceAndDeadline & { readonly fid: number; readonly to: Buffer }): Authorization {
  return {
    domain: ID_REGISTRY_EIP_712_TYPES.domain,
    types: { Transfer: ID_REGISTRY_EIP_712_TYPES.types.Transfer },
    primaryType: 'Transfer',
    message: { fid: BigInt(fid), to: hexOf(to), nonce, deadline: BigInt(deadline) },
  }
}

/** `Add` of the key gateway: authorizes the key for the fid of `owner`. */
export function addKeyAuthorization({
  owner,
  added: { keyType, key, metadata },
  nonce,
  deadline,
}: NonceAndDeadline & { readonly owner: Buffer; readonly added: AddedKey }): Authorization {
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
  }
}

/** `Remove` of the key registry: withdraws the key from the fid of `owner`. */
export function removeKeyAuthorization({
  owner,
  key,
  nonce,
  deadline,
}: NonceAndDeadline & { readonly owner: Buffer; readonly key: Buffer }): Authorization {
  return {
    ...KEY_REGISTRY_EIP_712_TYPES,
    primaryType: 'Remove',
    message: { owner: hexOf(owner), key: hexOf(key), nonce, deadline: BigInt(deadline) },
  }
}

/** Signs as the holder of an address; returns 65 bytes. */
export async function signAuthorization(
  authorization: Authorization,
  { signer }: EthAccount,
): Promise<Buffer> {
  return signatureBytes(await signer.signTypedData(authorization))
}

/** Whether this address (20 bytes) signed the authorization. */
export async function isAuthorizedBy(
  authorization: Authorization,
  signature: Buffer,
  address: Buffer,
): Promise<boolean> {
  const signer = await recoverSigner(authorization, signature, recoverAccount)
  return signer?.equals(address) ?? false
}
