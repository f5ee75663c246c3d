import { describe, expect, it } from 'vitest'
import { verifyEd25519 } from './ed25519.js'
import { sampleMessage } from './testing/sample-messages.js'
import { packInputs, type SignatureInput, unpackInputs } from './verify-job.js'

const { hash, signature, signer } = sampleMessage(0, {})
const good: SignatureInput = { hash, signature, signer }

describe('packInputs', () => {
  it('packs signatures that unpack equally, in order', () => {
    const other = { hash: Buffer.alloc(20, 1), signature: Buffer.alloc(64, 2), signer: Buffer.alloc(32, 3) }
    expect(packInputs([good, other, good]).byteLength).toBe(3 * 116)
    expect(unpackInputs(packInputs([good, other, good]))).toEqual([good, other, good])
    expect(unpackInputs(packInputs([]))).toEqual([])
  })

  it.each([
    ['a short hash', { hash: hash.subarray(1) }],
    ['a long hash', { hash: Buffer.concat([hash, hash]) }],
    ['no signature', { signature: Buffer.alloc(0) }],
    ['a long signature', { signature: Buffer.concat([signature, signer]) }],
    ['a short signer', { signer: signer.subarray(0, 31) }],
    ['a long signer', { signer: Buffer.concat([signer, signer]) }],
  ])('with %s packs an invalid signature, and keeps its neighbors', (_, wrong) => {
    const [before, between, after] = unpackInputs(packInputs([good, { ...good, ...wrong }, good]))
    expect([before, after]).toEqual([good, good])
    expect(between).toEqual({
      hash: Buffer.alloc(20),
      signature: Buffer.alloc(64),
      signer: Buffer.alloc(32),
    })
    expect(verifyEd25519(between!.signature, between!.hash, between!.signer)).toBe(false)
  })
})
