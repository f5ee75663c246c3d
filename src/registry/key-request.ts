import { SIGNED_KEY_REQUEST_VALIDATOR_EIP_712_TYPES } from '@farcaster/core'
import { encodeAbiParameters } from 'viem'
import { hexOf } from '../protocol/bytes.js'
import { type EthAccount, signatureBytes } from './eth-account.js'

/** What an app asks of a user: that this key may sign for them. */
export interface KeyRequest {
  /** The fid of the app. */
  readonly requestFid: number
  /** Ed25519 public key, 32 bytes. */
  readonly key: Buffer
  /** Unix seconds. */
  readonly deadline: number
}

const METADATA_ABI = [
  {
    type: 'tuple',
    components: [
      { name: 'requestFid', type: 'uint256' },
      { name: 'requestSigner', type: 'address' },
      { name: 'signature', type: 'bytes' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
] as const

/**
 * The metadata of a SIGNER event: the app's SignedKeyRequest, signed by `app` and ABI-encoded
 * (the protocol notes, hub.md §5.3).
 */
export async function signKeyRequest(request: KeyRequest, app: EthAccount): Promise<Buffer> {
  const requestFid = BigInt(request.requestFid)
  const deadline = BigInt(request.deadline)
  const signature = await app.signer.signTypedData({
    ...SIGNED_KEY_REQUEST_VALIDATOR_EIP_712_TYPES,
    primaryType: 'SignedKeyRequest',
    message: { requestFid, key: hexOf(request.key), deadline },
  })
  const metadata = encodeAbiParameters(METADATA_ABI, [
    { requestFid, requestSigner: app.signer.address, signature, deadline },
  ])
  return signatureBytes(metadata)
}
