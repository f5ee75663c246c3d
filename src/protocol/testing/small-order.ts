import { createHash } from 'node:crypto'
import { createMessageSigner } from '../sign.js'

/** The order of the group in which Ed25519 signs (RFC 8032 §5.1). */
export const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** The encodings of the points of small order, sign bit cleared (docs/protocol.md §6.1). */
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

/** A signature by the identity, which fits every message: OpenSSL accepts it, a strict verifier must not. */
export function forgeWithSmallKey(): Forgery {
  const signature = Buffer.concat([PUBLIC_KEY, scalarBytes(secretScalar() % GROUP_ORDER)])
  return { signature, publicKey: IDENTITY }
}

/** A signature of an honest key with the identity as R: OpenSSL accepts it, a strict verifier must not. */
export function forgeWithSmallR(message: Uint8Array): Forgery {
  const challenge = createHash('sha512').update(IDENTITY).update(PUBLIC_KEY).update(message).digest()
  const s = (littleEndian(challenge) * secretScalar()) % GROUP_ORDER
  return { signature: Buffer.concat([IDENTITY, scalarBytes(s)]), publicKey: PUBLIC_KEY }
}

/** The secret scalar behind the private key (RFC 8032 §5.1.5). */
function secretScalar(): bigint {
  const bytes = createHash('sha512').update(PRIVATE_KEY).digest().subarray(0, 32)
  bytes[0]! &= 0xf8
  bytes[31] = (bytes[31]! & 0x7f) | 0x40
  return littleEndian(bytes)
}

export function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

/** 32 bytes, least significant first. */
export function scalarBytes(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()
}
