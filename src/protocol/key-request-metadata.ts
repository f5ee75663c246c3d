import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters } from 'viem'
import { bytesOfHex, hexOf } from './bytes.js'

/** Key metadata of type 1: the signed request of an app (docs/protocol.md §5.3). */
export interface KeyRequestMetadata {
  readonly requestFid: bigint
  /** Custody address of the app, 20 bytes. */
  readonly requestSigner: Buffer
  readonly signature: Buffer
  readonly deadline: bigint
}

const parameters = parseAbiParameters([
  'Metadata metadata',
  'struct Metadata { uint256 requestFid; address requestSigner; bytes signature; uint256 deadline; }',
])

/** Encodes key metadata. */
export function encodeKeyRequestMetadata(metadata: KeyRequestMetadata): Buffer {
  const { requestSigner, signature } = metadata
  const fields = { ...metadata, requestSigner: hexOf(requestSigner), signature: hexOf(signature) }
  return Buffer.from(encodeAbiParameters(parameters, [fields]).slice(2), 'hex')
}

/** Decodes key metadata; null if it is malformed. */
export function decodeKeyRequestMetadata(metadata: Uint8Array): KeyRequestMetadata | null {
  try {
    const [fields] = decodeAbiParameters(parameters, metadata)
    const { requestSigner, signature } = fields
    return { ...fields, requestSigner: bytesOfHex(requestSigner), signature: bytesOfHex(signature) }
  } catch {
    // The library throws for bytes of another shape.
    return null
  }
}
