import {
  decodeGaslessSignedKeyRequestMetadata,
  GASLESS_KEY_ADD_EIP_712_TYPES,
  GASLESS_KEY_REMOVE_EIP_712_TYPES,
  GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
  type KeyAddBody,
  type KeyRemoveBody,
} from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import { type AccountRecovery, recoverAccount } from '../account-recovery.js'
import { hexOf } from '../bytes.js'
import { recoverSigner } from './typed-data.js'

/** A verified key request of an app. */
export interface KeyRequest {
  /** Fid of the app. The merge checks that `requestSigner` is its custody address. */
  readonly requestFid: number
  /** 20 bytes. */
  readonly requestSigner: Buffer
  /** Farcaster seconds. */
  readonly deadline: bigint
}

/**
 * Recovers the address (20 bytes) that signed a KEY_ADD for `fid`; null if the signature is malformed.
 *
 * Any well-formed signature recovers to some address: the merge compares it with the custody address.
 */
export function recoverKeyAddCustody(
  body: KeyAddBody,
  fid: number,
  recover: AccountRecovery = recoverAccount,
): Promise<Buffer | null> {
  return recoverSigner(
    {
      ...GASLESS_KEY_ADD_EIP_712_TYPES,
      primaryType: 'KeyAdd',
      message: {
        fid: BigInt(fid),
        key: hexOf(body.key),
        keyType: body.keyType,
        scopes: body.scopes,
        ttl: body.ttl,
        nonce: body.nonce,
        deadline: BigInt(body.deadline),
      },
    },
    body.custodySignature,
    recover,
  )
}

/**
 * Recovers the address (20 bytes) that signed a custody KEY_REMOVE for `fid`; null if the signature is
 * malformed.
 */
export function recoverKeyRemoveCustody(
  body: KeyRemoveBody,
  fid: number,
  recover: AccountRecovery = recoverAccount,
): Promise<Buffer | null> {
  return recoverSigner(
    {
      ...GASLESS_KEY_REMOVE_EIP_712_TYPES,
      primaryType: 'KeyRemove',
      message: {
        fid: BigInt(fid),
        key: hexOf(body.key),
        nonce: body.nonce,
        deadline: BigInt(body.deadline),
      },
    },
    body.signature,
    recover,
  )
}

/**
 * Verifies the key request in a KEY_ADD: signed by its `requestSigner`, for this key, not expired.
 *
 * @param timestamp Farcaster seconds, of the message.
 */
export async function verifySignedKeyRequest(
  body: Pick<KeyAddBody, 'key' | 'metadata'>,
  timestamp: number,
  recover: AccountRecovery = recoverAccount,
): Promise<KeyRequest | Refusal> {
  const invalid = refuse('bad_request.validation_failure', 'metadata is not a valid SignedKeyRequest')
  const decoded = decodeGaslessSignedKeyRequestMetadata(body.metadata)
  if (decoded.isErr()) return invalid
  const { requestFid, requestSigner, signature, deadline } = decoded.value
  if (deadline < BigInt(timestamp)) {
    return refuse('bad_request.validation_failure', 'signed key request has expired')
  }
  if (requestFid > BigInt(Number.MAX_SAFE_INTEGER)) return invalid
  const signer = await recoverSigner(
    {
      ...GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
      primaryType: 'SignedKeyRequest',
      message: { requestFid, key: hexOf(body.key), deadline },
    },
    signature,
    recover,
  )
  if (signer === null || hexOf(signer) !== requestSigner.toLowerCase()) return invalid
  return { requestFid: Number(requestFid), requestSigner: signer, deadline }
}
