import { encodeGaslessSignedKeyRequestMetadata } from '@farcaster/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { hexOf } from '../bytes.js'
import { type KeyAddBody, type MessageData, UserNameProof } from '../definitions.js'
import { keyAddition, sampleAccount, sampleAddress } from '../testing/sample-claims.js'
import {
  SAMPLE_FID,
  SAMPLE_TIME,
  sampleContext,
  sampleSigner,
  validSamples,
} from '../testing/sample-messages.js'
import { checkSignatures, validateStateless } from '../validate.js'
import { recoverKeyAddCustody, recoverKeyRemoveCustody, verifySignedKeyRequest } from './key.js'
import { verifyUsernameProof } from './username-proof.js'

let samples: Record<string, MessageData>
beforeAll(async () => {
  samples = await validSamples()
})

/** The fault in the claim of a changed sample, or null. */
async function claimOf(sample: string, change: (data: MessageData) => unknown, signer = 1) {
  const data = structuredClone(samples[sample]!)
  change(data)
  return (await checkSignatures(sampleSigner(signer).sign(data)))?.message ?? null
}

function flipped(bytes: Uint8Array, index: number): Uint8Array {
  const copy = Buffer.from(bytes)
  copy[index]! ^= 1
  return copy
}

describe('the claim of a verification', () => {
  it.each(['ethVerification', 'solVerification'])('covers every field of %s', async (sample) => {
    const invalid = sample === 'solVerification' ? 'invalid signature' : 'invalid claimSignature'
    const body = (data: MessageData) => data.verificationAddAddressBody!
    expect(await claimOf(sample, () => {})).toBeNull()
    expect(await claimOf(sample, (data) => Object.assign(data, { fid: 2 }))).toBe(invalid)
    expect(await claimOf(sample, (data) => Object.assign(data, { network: 3 }))).toBe(invalid)
    for (const part of ['address', 'blockHash', 'claimSignature'] as const) {
      const change = (data: MessageData) =>
        Object.assign(body(data), { [part]: flipped(body(data)[part], 3) })
      expect(await claimOf(sample, change)).toBe(invalid)
    }
    const short = (data: MessageData) => Object.assign(body(data), { claimSignature: Buffer.alloc(63) })
    expect(await claimOf(sample, short)).toBe(invalid)
  })

  it('has an even v for 0x00 and 0x1b, and an odd one for every other byte', async () => {
    const { claimSignature } = samples.ethVerification!.verificationAddAddressBody!
    const isEven = claimSignature[64] === 0x1b
    for (const last of [0x00, 0x1b, 0x01, 0x02, 0x1a, 0x1c, 0x1d, 0x25, 0xff]) {
      const refusal = await claimOf('ethVerification', ({ verificationAddAddressBody: body }) => {
        body!.claimSignature[64] = last
      })
      const isValid = (last === 0x00 || last === 0x1b) === isEven
      expect([last, refusal]).toEqual([last, isValid ? null : 'invalid claimSignature'])
    }
  })

  it('covers no chain id: an account may name any that is listed, in its low 16 bits', async () => {
    for (const chainId of [0, 1, 5, 10, 420, 65_536, 65_537, 65_956, 4_294_901_770]) {
      const change = (data: MessageData) => Object.assign(data.verificationAddAddressBody!, { chainId })
      const data = structuredClone(samples.ethVerification!)
      change(data)
      expect(validateStateless(sampleSigner().sign(data), sampleContext)).toBeNull()
      expect(await claimOf('ethVerification', change)).toBeNull()
    }
  })
})

describe('the signature of a name transfer', () => {
  it('covers name, timestamp and owner, and is by the registry', async () => {
    const proof = UserNameProof.create(samples.ensProof!.usernameProofBody!)
    const isSigned = (change: Partial<UserNameProof>, signer = sampleAddress) =>
      verifyUsernameProof({ ...proof, ...change }, signer)
    expect(await isSigned({})).toBe(true)
    expect(await isSigned({}, Buffer.alloc(20))).toBe(false)
    expect(await isSigned({ name: Buffer.from('bob.eth') })).toBe(false)
    expect(await isSigned({ timestamp: 1 })).toBe(false)
    expect(await isSigned({ owner: flipped(proof.owner, 3) })).toBe(false)
    expect(await isSigned({ signature: flipped(proof.signature, 3) })).toBe(false)
  })

  it('in a message, it is not looked at: the chain says who owns the name', async () => {
    const change = (data: MessageData) =>
      Object.assign(data.usernameProofBody!, { signature: Buffer.alloc(65, 7) })
    expect(await claimOf('ensProof', change)).toBeNull()
  })
})

describe('KEY_ADD', () => {
  const body = (): KeyAddBody => samples.keyAdd!.keyAddBody!

  it('recovers the custody address from a signature that covers every field', async () => {
    expect(await recoverKeyAddCustody(body(), SAMPLE_FID)).toEqual(sampleAddress)
    expect(await recoverKeyAddCustody(body(), SAMPLE_FID + 1)).not.toEqual(sampleAddress)
    for (const change of [
      { ttl: 1 },
      { nonce: 9 },
      { scopes: [1] },
      { deadline: 9 },
      { key: Buffer.alloc(32) },
    ]) {
      expect(await recoverKeyAddCustody({ ...body(), ...change }, SAMPLE_FID)).not.toEqual(sampleAddress)
    }
  })

  it('recovers null from a malformed signature', async () => {
    for (const custodySignature of [Buffer.alloc(65), Buffer.alloc(64, 1), Buffer.alloc(0)]) {
      expect(await recoverKeyAddCustody({ ...body(), custodySignature }, SAMPLE_FID)).toBeNull()
    }
    const change = (data: MessageData) =>
      Object.assign(data.keyAddBody!, { custodySignature: Buffer.alloc(65) })
    expect(await claimOf('keyAdd', change)).toBe('invalid signature')
  })

  it('contains a request signed by its signer, for this key', async () => {
    expect(await verifySignedKeyRequest(body(), SAMPLE_TIME)).toEqual({
      requestFid: SAMPLE_FID,
      requestSigner: sampleAddress,
      deadline: BigInt(body().deadline),
    })
    const invalid = {
      code: 'bad_request.validation_failure',
      message: 'SignedKeyRequest metadata is malformed or signature does not verify',
    }
    expect(await verifySignedKeyRequest({ ...body(), key: Buffer.alloc(32) }, SAMPLE_TIME)).toEqual(invalid)
    for (const metadata of [Buffer.alloc(0), Buffer.alloc(16, 0xde), body().metadata.subarray(0, 200)]) {
      expect(await verifySignedKeyRequest({ ...body(), metadata }, SAMPLE_TIME)).toEqual(invalid)
    }
    for (const requestFid of [3n, 2n ** 64n]) {
      const metadata = encodeGaslessSignedKeyRequestMetadata({
        requestFid,
        requestSigner: sampleAccount.address,
        signature: Buffer.alloc(65),
        deadline: 2n ** 60n,
      })._unsafeUnwrap()
      expect(await verifySignedKeyRequest({ ...body(), metadata }, SAMPLE_TIME)).toEqual(invalid)
      const change = (data: MessageData) => Object.assign(data.keyAddBody!, { metadata })
      expect(await claimOf('keyAdd', change)).toBe(invalid.message)
    }
  })

  it('may be requested by fids up to 2^53 - 1', async () => {
    const askedBy = async (fid: number) =>
      verifySignedKeyRequest(await keyAddition(fid, Buffer.alloc(32, 9), [1], SAMPLE_TIME), SAMPLE_TIME)
    const { MAX_SAFE_INTEGER } = Number
    expect(await askedBy(MAX_SAFE_INTEGER)).toMatchObject({ requestFid: MAX_SAFE_INTEGER })
    expect(await askedBy(MAX_SAFE_INTEGER + 1)).toMatchObject({
      message: 'SignedKeyRequest metadata is malformed or signature does not verify',
    })
  })

  it('is valid up to the second in which the request expires', async () => {
    const { deadline } = body()
    expect(await verifySignedKeyRequest(body(), deadline)).toMatchObject({ requestFid: SAMPLE_FID })
    const late = await verifySignedKeyRequest(body(), deadline + 1)
    expect(late).toEqual({
      code: 'bad_request.validation_failure',
      message: 'SignedKeyRequest deadline has expired',
    })
  })
})

describe('KEY_REMOVE', () => {
  it('recovers the custody address', async () => {
    const body = samples.keyRemove!.keyRemoveBody!
    expect(await recoverKeyRemoveCustody(body, SAMPLE_FID)).toEqual(sampleAddress)
    expect(await recoverKeyRemoveCustody({ ...body, nonce: 3 }, SAMPLE_FID)).not.toEqual(sampleAddress)
    const change = (data: MessageData) => Object.assign(data.keyRemoveBody!, { signature: Buffer.alloc(65) })
    expect(await claimOf('keyRemove', change)).toBe('invalid signature')
  })

  it('may be signed by the removed key instead', async () => {
    const bySelf = (data: MessageData) => {
      data.keyRemoveBody!.signatureType = 2
      data.keyRemoveBody!.signature = Buffer.alloc(0)
    }
    expect(await claimOf('keyRemove', bySelf, 9)).toBeNull()
    expect(await claimOf('keyRemove', bySelf, 1)).toBe('signer must be the removed key')
  })
})

describe('samples', () => {
  it('have claims of the sample account', () => {
    expect(hexOf(sampleAddress)).toBe(sampleAccount.address.toLowerCase())
    const message = sampleSigner().sign(samples.keyAdd!)
    expect(validateStateless(message, sampleContext)).toBeNull()
  })
})
