import { createHash } from 'node:crypto'
import { createMessageSigner } from '../sign.js'

/** Order of the Ed25519 group (RFC 8032 §5.1). */
export const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** Encodings of points of small order, sign bit cleared (docs/protocol.md §6.1). */
export const smallOrderPoints: readonly Buffer[] = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => Buffer.from(hex, 'hex'))

const IDENTITY = smallOrderPoints[0]!
const PRIVATE_KEY = Buffer.alloc(32, 5)
const PUBLIC_KEY = createMessageSigner(PRIVATE_KEY).publicKey

export interface Forgery {
  readonly signature: Buffer
  readonly publicKey: Buffer
}

/** Forges a signature by the identity, valid for every message in OpenSSL but not in a strict verifier. */
export function forgeWithSmallKey(): Forgery {
  const signature = Buffer.concat([PUBLIC_KEY, scalarBytes(secretScalar() % GROUP_ORDER)])
  return { signature, publicKey: IDENTITY }
}

/** Forges a signature of a real key with the identity as R, valid in OpenSSL but not in a strict verifier. */
export function forgeWithSmallR(message: Uint8Array): Forgery {
  const challenge = createHash('sha512').update(IDENTITY).update(PUBLIC_KEY).update(message).digest()
  const s = (littleEndian(challenge) * secretScalar()) % GROUP_ORDER
  return { signature: Buffer.concat([IDENTITY, scalarBytes(s)]), publicKey: PUBLIC_KEY }
}

/** Derives the secret scalar of a private key (RFC 8032 §5.1.5). */
function secretScalar(): bigint {
  const bytes = createHash('sha512').update(PRIVATE_KEY).digest().subarray(0, 32)
  bytes[0]! &= 0xf8
  bytes[31] = (bytes[31]! & 0x7f) | 0x40
  return littleEndian(bytes)
}

/** Reads bytes as a number, the lowest first. */
export function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

/** Encodes 32 bytes, little endian. */
export function scalarBytes(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()
}
