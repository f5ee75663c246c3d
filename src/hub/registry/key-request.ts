import { DAY_SECONDS } from '../../platform/durations.js'
import { recoverAccount } from '../../protocol/account-recovery.js'
import { hexOf } from '../../protocol/bytes.js'
import { decodeKeyRequestMetadata, encodeKeyRequestMetadata } from '../../protocol/key-request-metadata.js'
import { recoverSigner } from '../../protocol/kinds/typed-data.js'
import { signedKeyRequest } from '../../protocol/signed-types.js'
import { type EthAccount, signatureBytes } from './eth-account.js'

/** Validity of a request that is signed here: a transaction may wait that long. */
export const KEY_REQUEST_SECONDS = DAY_SECONDS

/** A request of an app to a user, to add a key. */
export interface KeyRequest {
  /** Fid of the app. */
  readonly requestFid: number
  /** An Ed25519 public key, or an address as an ABI word: 32 bytes. */
  readonly key: Buffer
  /** Unix seconds. */
  readonly deadline: number
}

/** A request and its signature. */
export interface SignedKeyRequest extends Omit<KeyRequest, 'key'> {
  /** Custody address of `requestFid`, 20 bytes. */
  readonly requestSigner: Buffer
  /** 65 bytes. */
  readonly signature: Buffer
}

/** Builds the request as typed data, which the app's custody address signs (docs/protocol.md §5.3). */
function typedDataOf({ requestFid, key, deadline }: KeyRequest) {
  return {
    ...signedKeyRequest,
    primaryType: 'SignedKeyRequest',
    message: { requestFid: BigInt(requestFid), key: hexOf(key), deadline: BigInt(deadline) },
  } as const
}

/** Signs a request as the app. */
export async function signKeyRequest(request: KeyRequest, app: EthAccount): Promise<SignedKeyRequest> {
  const { requestFid, deadline } = request
  const signature = signatureBytes(await app.signer.signTypedData(typedDataOf(request)))
  return { requestFid, requestSigner: app.address, signature, deadline }
}

/** Recovers the address (20 bytes) that signed a request; null if the signature is malformed. */
export function recoverKeyRequestSigner(request: KeyRequest, signature: Buffer): Promise<Buffer | null> {
  return recoverSigner(typedDataOf(request), signature, recoverAccount)
}

/** Encodes a request as key metadata of type 1 (docs/protocol.md §5.3). */
export function keyRequestMetadata(request: SignedKeyRequest): Buffer {
  const { requestFid, requestSigner, signature, deadline } = request
  return encodeKeyRequestMetadata({
    requestFid: BigInt(requestFid),
    requestSigner,
    signature,
    deadline: BigInt(deadline),
  })
}

/** Decodes key metadata of type 1; null if it is malformed. */
export function readKeyRequestMetadata(metadata: Buffer): SignedKeyRequest | null {
  const decoded = decodeKeyRequestMetadata(metadata)
  if (decoded === null) return null
  return { ...decoded, requestFid: Number(decoded.requestFid), deadline: Number(decoded.deadline) }
}
