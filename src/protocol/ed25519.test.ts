import { createHash, createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifyEd25519 } from './ed25519.js'
import { sampleMessage, sampleSigner } from './testing/sample-messages.js'

const L = 2n ** 252n + 27742317777372353535851937790883648493n
const smallOrder = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => Buffer.from(hex, 'hex'))
const identity = smallOrder[0]!
const message = Buffer.from('anything')

/** The secret scalar behind sample signer 5, from its private key (RFC 8032 §5.1.5). */
function secretScalar(): bigint {
  const bytes = createHash('sha512').update(Buffer.alloc(32, 5)).digest().subarray(0, 32)
  bytes[0]! &= 0xf8
  bytes[31] = (bytes[31]! & 0x7f) | 0x40
  return littleEndian(bytes)
}

function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

function scalarBytes(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()
}

function opensslVerifies(signature: Buffer, publicKey: Buffer): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

describe('verifyEd25519', () => {
  it('accepts what the key signed, and nothing else', () => {
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

  it('refuses any other length without asking OpenSSL, which throws at a short key', () => {
    const { hash, signature, signer } = sampleMessage(0, {})
    for (const length of [0, 31, 33])
      expect(verifyEd25519(signature, hash, Buffer.alloc(length, 9))).toBe(false)
    for (const length of [0, 63, 65]) expect(verifyEd25519(Buffer.alloc(length, 9), hash, signer)).toBe(false)
  })

  it('refuses S + L, the second spelling of a signature', () => {
    const { hash, signature, signer } = sampleMessage(0, {})
    const s = littleEndian(signature.subarray(32)) + L
    const other = Buffer.concat([signature.subarray(0, 32), scalarBytes(s)])
    expect(verifyEd25519(other, hash, signer)).toBe(false)
  })

  it('refuses keys of small order, though OpenSSL lets one sign everything', () => {
    const r = sampleSigner(5).publicKey
    const signature = Buffer.concat([r, scalarBytes(secretScalar() % L)])
    expect(opensslVerifies(signature, identity)).toBe(true)
    for (const point of smallOrder) {
      for (const sign of [0, 0x80]) {
        const key = Buffer.from(point)
        key[31]! |= sign
        expect(verifyEd25519(signature, message, key)).toBe(false)
      }
    }
  })

  it('refuses an R of small order, though OpenSSL accepts it', () => {
    const key = sampleSigner(5).publicKey
    const h = littleEndian(createHash('sha512').update(identity).update(key).update(message).digest()) % L
    const signature = Buffer.concat([identity, scalarBytes((h * secretScalar()) % L)])
    expect(opensslVerifies(signature, key)).toBe(true)
    expect(verifyEd25519(signature, message, key)).toBe(false)
  })

  it('keeps answering right when more keys sign than it remembers', () => {
    const { hash, signature, signer } = sampleMessage(0, {})
    for (let number = 0; number < 20_000; number++) {
      const key = Buffer.alloc(32, 7)
      key.writeUInt32LE(number)
      verifyEd25519(Buffer.alloc(64, 7), hash, key)
      if (number % 5000 === 0) expect(verifyEd25519(signature, hash, signer)).toBe(true)
    }
  }, 20_000)
})
