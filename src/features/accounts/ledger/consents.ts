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
 * What the holder of an address signs so that somebody else may send the transaction, and pay for it: EIP-712, in the
 * domains of the real contracts, whatever the network (docs/protocol.md §5.3). `nonce` is the contract's for whoever signs,
 * `deadline` is in Unix seconds, addresses have 20 bytes.
 */
export type Consent = TypedDataDefinition

/** Metadata of a key is of this type: a signed key request (docs/protocol.md §5.3). */
const SIGNED_KEY_REQUEST = 1

interface Once {
  readonly nonce: bigint
  readonly deadline: number
}

/** `Register` of the id gateway: `to` will hold a new fid. */
export function registerConsent({
  to,
  recovery,
  nonce,
  deadline,
}: Once & { readonly to: Buffer; readonly recovery: Buffer }): Consent {
  return {
    ...ID_GATEWAY_EIP_712_TYPES,
    primaryType: 'Register',
    message: { to: hexOf(to), recovery: hexOf(recovery), nonce, deadline: BigInt(deadline) },
  }
}

/** `Transfer` of the id registry: who has the fid and who gets it sign the same, each with a nonce of its own. */
export function transferConsent({
  fid,
  to,
  nonce,
  deadline,
}: Once & { readonly fid: number; readonly to: Buffer }): Consent {
  return {
    domain: ID_REGISTRY_EIP_712_TYPES.domain,
    types: { Transfer: ID_REGISTRY_EIP_712_TYPES.types.Transfer },
    primaryType: 'Transfer',
    message: { fid: BigInt(fid), to: hexOf(to), nonce, deadline: BigInt(deadline) },
  }
}

/** `Add` of the key gateway: the key may act for the fid of `owner`. */
export function addKeyConsent({
  owner,
  added: { keyType, key, metadata },
  nonce,
  deadline,
}: Once & { readonly owner: Buffer; readonly added: AddedKey }): Consent {
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

/** `Remove` of the key registry: the key may no longer act for the fid of `owner`. */
export function removeKeyConsent({
  owner,
  key,
  nonce,
  deadline,
}: Once & { readonly owner: Buffer; readonly key: Buffer }): Consent {
  return {
    ...KEY_REGISTRY_EIP_712_TYPES,
    primaryType: 'Remove',
    message: { owner: hexOf(owner), key: hexOf(key), nonce, deadline: BigInt(deadline) },
  }
}

/** Signs as the holder of an address: 65 bytes. */
export async function signConsent(consent: Consent, { signer }: EthAccount): Promise<Buffer> {
  return signatureBytes(await signer.signTypedData(consent))
}

/** Whether this address (20 bytes) has signed it. */
export async function isConsentOf(consent: Consent, signature: Buffer, address: Buffer): Promise<boolean> {
  const signer = await recoverSigner(consent, signature, recoverAccount)
  return signer?.equals(address) ?? false
}
