import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifyEd25519 } from './ed25519.js'
import { sampleMessage, sampleSigner } from './testing/sample-messages.js'
import {
  forgeWithSmallKey,
  forgeWithSmallR,
  GROUP_ORDER,
  littleEndian,
  scalarBytes,
  smallOrderPoints,
} from './testing/small-order.js'

const message = Buffer.from('anything')

function opensslVerifies(signature: Buffer, publicKey: Buffer): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

describe('verifyEd25519', () => {
  it('accepts signatures of the key only', () => {
    const { hash, signature, signer } = sampleMessage(0, {})
    expect(verifyEd25519(signature, hash, signer)).toBe(true)
    expect(verifyEd25519(signature, Buffer.alloc(20), signer)).toBe(false)
    expect(verifyEd25519(signature, hash, sampleSigner(2).publicKey)).toBe(false)
    for (let index = 0; index < 64; index++) {
      const flipped = Buffer.from(signature)
      flipped[index]! ^= 1
      expect(verifyEd25519(flipped, hash, signer)).toBe(false)
    }
  })

  it('refuses other lengths without calling OpenSSL, which throws for a short key', () => {
    const { hash, signature, signer } = sampleMessage(0, {})
    for (const length of [0, 31, 33])
      expect(verifyEd25519(signature, hash, Buffer.alloc(length, 9))).toBe(false)
    for (const length of [0, 63, 65]) expect(verifyEd25519(Buffer.alloc(length, 9), hash, signer)).toBe(false)
  })

  it('refuses S + L, the second encoding of a signature', () => {
    const { hash, signature, signer } = sampleMessage(0, {})
    const s = littleEndian(signature.subarray(32)) + GROUP_ORDER
    const other = Buffer.concat([signature.subarray(0, 32), scalarBytes(s)])
    expect(verifyEd25519(other, hash, signer)).toBe(false)
  })

  it('refuses keys of small order, which OpenSSL accepts', () => {
    const { signature, publicKey } = forgeWithSmallKey()
    expect(opensslVerifies(signature, publicKey)).toBe(true)
    for (const point of smallOrderPoints) {
      for (const sign of [0, 0x80]) {
        const key = Buffer.from(point)
        key[31]! |= sign
        expect(verifyEd25519(signature, message, key)).toBe(false)
      }
    }
  })

  it('refuses an R of small order, which OpenSSL accepts', () => {
    const { signature, publicKey } = forgeWithSmallR(message)
    expect(opensslVerifies(signature, publicKey)).toBe(true)
    expect(verifyEd25519(signature, message, publicKey)).toBe(false)
  })

  it('verifies correctly with more keys than it caches', () => {
    const { hash, signature, signer } = sampleMessage(0, {})
    for (let number = 0; number < 20_000; number++) {
      const key = Buffer.alloc(32, 7)
      key.writeUInt32LE(number)
      verifyEd25519(Buffer.alloc(64, 7), hash, key)
      if (number % 5000 === 0) expect(verifyEd25519(signature, hash, signer)).toBe(true)
    }
  })
})
