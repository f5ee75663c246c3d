import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519'

/**
 * The points of small order in all encodings, by their first 31 bytes and the masked last one. OpenSSL
 * accepts them, the reference node does not.
 */
const smallOrder = new Set(
  [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ].map((text) => Buffer.from(text, 'hex').toString('latin1')),
)

/** Signatures that this process has made, with what they sign: they need no check. */
const made = new Map<string, string>()
const MAX_MADE = 2000

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** Remembers a signature that this process has just made: a check takes 170 µs. */
export function rememberSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): void {
  if (made.size >= MAX_MADE) made.clear()
  made.set(latin1(signature), latin1(message) + latin1(publicKey))
}

const keys = new Map<string, KeyObject>()

/** Checks an Ed25519 signature without cofactor; refuses keys and points of small order. */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  if (made.get(latin1(signature)) === latin1(message) + latin1(publicKey)) return true
  if (isSmallOrder(publicKey) || isSmallOrder(signature.subarray(0, 32))) return false
  try {
    return verify(null, message, keyObject(publicKey), signature)
  } catch {
    return false
  }
}

/** Whether 32 bytes are a point of the curve. */
export function isCurvePoint(publicKey: Uint8Array): boolean {
  try {
    ed25519.Point.fromHex(publicKey, true)
    return true
  } catch {
    return false
  }
}

function isSmallOrder(point: Uint8Array): boolean {
  const masked = Buffer.from(point)
  masked[31]! &= 0x7f
  return smallOrder.has(masked.toString('latin1'))
}

function keyObject(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url')
  let key = keys.get(x)
  if (key === undefined) {
    key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    if (keys.size < 20_000) keys.set(x, key)
  }
  return key
}
