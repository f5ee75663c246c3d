import { beforeAll, describe, expect, it } from 'vitest'
import type { Refusal } from '../platform/errors.js'
import { decodeMessage, fromProtobuf, isRefusal } from './codec.js'
import { HashScheme, Message, MessageType, SignatureScheme } from './definitions.js'
import type { SignedMessage } from './message.js'
import {
  envelopeOf,
  SAMPLE_TIME,
  sampleContext,
  sampleData,
  sampleMessage,
  sampleSigner,
  validSamples,
} from './testing/sample-messages.js'
import { checkSignatures, hasClaim, requiresPro, validateStateless } from './validate.js'

const like = { reactionBody: { type: 1, targetCastId: undefined, targetUrl: 'a' } }

function text(message: SignedMessage, context = sampleContext): string | undefined {
  return validateStateless(message, context)?.message
}

describe('validateStateless', () => {
  let samples: Awaited<ReturnType<typeof validSamples>>
  beforeAll(async () => {
    samples = await validSamples()
  })

  it('accepts a message of every type, as does checkSignatures', async () => {
    for (const [name, data] of Object.entries(samples)) {
      const message = sampleSigner().sign(data)
      expect([name, validateStateless(message, sampleContext)]).toEqual([name, null])
      expect([name, await checkSignatures(message)]).toEqual([name, null])
    }
  })

  it('accepts the same messages after they were decoded', async () => {
    for (const data of Object.values(samples)) {
      const signed = sampleSigner().sign(data)
      const message = decodeMessage(
        Buffer.from(Message.encode({ ...signed, data: undefined }).finish()),
      ) as SignedMessage
      expect(isRefusal(message)).toBe(false)
      expect(validateStateless(message, sampleContext)).toBeNull()
    }
  })

  it('refuses envelopes in the order and with the texts of the protocol', () => {
    const good = sampleMessage(MessageType.REACTION_ADD, like)
    const cases: [string, Partial<SignedMessage>][] = [
      ['data is missing', { dataBytes: Buffer.alloc(0) }],
      ['invalid hashScheme', { hashScheme: HashScheme.NONE }],
      ['invalid hash', { hash: good.hash.subarray(0, 19) }],
      ['invalid hash', { hash: Buffer.alloc(20) }],
      ['invalid signatureScheme', { signatureScheme: SignatureScheme.EIP712 }],
      ['signature is missing', { signature: Buffer.alloc(0) }],
      ['invalid signature', { signature: good.signature.subarray(0, 63) }],
      ['signer is missing or invalid', { signer: Buffer.alloc(0) }],
      ['signer is missing or invalid', { signer: Buffer.alloc(31) }],
      ['invalid hashScheme', { hashScheme: HashScheme.NONE, signature: Buffer.alloc(0) }],
    ]
    for (const [message, change] of cases) {
      const refusal = { code: 'bad_request.validation_failure', message }
      expect(validateStateless({ ...good, ...change }, sampleContext)).toEqual(refusal)
    }
  })

  it("accepts the hub's own network only", () => {
    const of = (network: number) => sampleMessage(MessageType.REACTION_ADD, { ...like, network })
    expect(text(of(1))).toBeUndefined()
    for (const network of [0, 2, 3, 4]) expect(text(of(network))).toBe('invalid network')
    expect(text(of(3), { network: 3, now: SAMPLE_TIME })).toBeUndefined()
    expect(text(of(0), { network: 0, now: SAMPLE_TIME })).toBe('invalid network')
  })

  it('accepts timestamps up to ten minutes ahead, and any in the past', () => {
    const at = (timestamp: number) => sampleMessage(MessageType.REACTION_ADD, { ...like, timestamp })
    expect(text(at(SAMPLE_TIME + 600))).toBeUndefined()
    expect(text(at(SAMPLE_TIME + 601))).toBe('timestamp more than 10 mins in the future')
    expect(text(at(0))).toBeUndefined()
  })

  it('refuses types that are unknown, of channels, or without their body', () => {
    const of = (type: number, parts = like) => sampleMessage(type as MessageType, parts)
    for (const type of [0, 9, 10, 22, 99, -1]) expect(text(of(type))).toBe('invalid message type')
    for (const type of [18, 19, 20, 21]) expect(text(of(type))).toBe('invalid message type')
    expect(text(of(MessageType.CAST_ADD))).toBe('invalid message type')
    const link = { linkBody: { type: 'follow', displayTimestamp: undefined, targetFid: 1 } }
    expect(text(of(MessageType.LINK_ADD, { ...like, ...link }))).toBe('only one body can be set')
  })

  it('refuses fid 0', () => {
    expect(text(sampleMessage(MessageType.REACTION_ADD, { ...like, fid: 0 }))).toBe('fid is missing')
  })
})

describe('size limits', () => {
  /** A message padded to a size with an unknown field. */
  function sized(type: MessageType, parts: object, sizeBytes: number): SignedMessage {
    const encoded = sampleMessage(type, parts).dataBytes
    const fill = sizeBytes - encoded.length - 4
    const unknownField = Buffer.concat([
      Buffer.of(0xfa, 0x01, (fill & 0x7f) | 0x80, fill >>> 7),
      Buffer.alloc(fill),
    ])
    return fromProtobuf(envelopeOf(Buffer.concat([encoded, unknownField])))
  }
  const cast = sampleData(MessageType.CAST_ADD, {
    castAddBody: {
      ...{ type: 0, text: 'x', mentions: [], mentionsPositions: [], embeds: [], embedsDeprecated: [] },
      parentCastId: undefined,
      parentUrl: undefined,
    },
  })

  it('are 2,048 bytes for most types', () => {
    expect(text(sized(MessageType.REACTION_ADD, like, 2048))).toBeUndefined()
    const tooLong = sized(MessageType.REACTION_ADD, like, 2049)
    expect([text(tooLong), requiresPro(tooLong)]).toEqual(['dataBytes > 2048 bytess', false])
  })

  it('are 16,384 bytes for casts, above 2,048 for pro accounts only', () => {
    for (const [sizeBytes, isForPro] of [
      [2048, false],
      [2049, true],
      [16_384, true],
    ] as const) {
      const message = sized(MessageType.CAST_ADD, cast, sizeBytes)
      expect([text(message), requiresPro(message)]).toEqual([undefined, isForPro])
    }
    expect(text(sized(MessageType.CAST_ADD, cast, 16_385))).toBe('dataBytes > 16384 bytess')
  })

  it('are 16,384 bytes for name proofs', async () => {
    const proof = (await validSamples()).ensProof!
    const message = sized(MessageType.USERNAME_PROOF, proof, 16_384)
    expect([text(message), requiresPro(message)]).toEqual([undefined, false])
    expect(text(sized(MessageType.USERNAME_PROOF, proof, 16_385))).toBe('dataBytes > 16384 bytess')
  })
})

describe('requiresPro', () => {
  it('is true for 10k casts and banners', async () => {
    const needing: string[] = []
    for (const [name, data] of Object.entries(await validSamples())) {
      if (requiresPro(sampleSigner().sign(data))) needing.push(name)
    }
    expect(needing).toEqual(['tenKCast'])
    const entry = (type: number) =>
      sampleMessage(MessageType.USER_DATA_ADD, { userDataBody: { type, value: '' } })
    expect([1, 2, 3, 5, 10, 14].map((type) => requiresPro(entry(type)))).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
    ])
  })
})

/** Messages without the body of their type. */
const withoutBody = [99, 9, MessageType.CAST_ADD, MessageType.KEY_ADD, MessageType.USER_DATA_ADD].map(
  (type) => sampleMessage(type as MessageType, like),
)

describe('a message without the body of its type', () => {
  it('needs no pro account and has no claim', async () => {
    for (const message of withoutBody) {
      expect([message.data.type, text(message), requiresPro(message)]).toEqual([
        message.data.type,
        'invalid message type',
        false,
      ])
      expect(await checkSignatures(message)).toBeNull()
    }
  })
})

describe('hasClaim', () => {
  it('is true for the types with a second signature', async () => {
    const having: string[] = []
    for (const [name, data] of Object.entries(await validSamples())) {
      if (hasClaim(sampleSigner().sign(data))) having.push(name)
    }
    const proofs = ['ensProof', 'basenameProof']
    expect(having).toEqual(['ethVerification', 'solVerification', ...proofs, 'keyAdd', 'keyRemove'])
    expect(hasClaim(sampleMessage(99 as MessageType, {}))).toBe(false)
  })
})

describe('checkSignatures', () => {
  const refused: Refusal = { code: 'bad_request.validation_failure', message: 'invalid signature' }

  it('refuses a signature of another key or hash', async () => {
    const good = sampleMessage(MessageType.REACTION_ADD, like)
    expect(await checkSignatures(good)).toBeNull()
    expect(await checkSignatures({ ...good, signer: sampleSigner(2).publicKey })).toEqual(refused)
    expect(await checkSignatures({ ...good, hash: Buffer.alloc(20, 1) })).toEqual(refused)
  })

  it('refuses the claim of another message, with the text of its kind', async () => {
    const data = (await validSamples()).ensProof!
    const other = { ...data, usernameProofBody: { ...data.usernameProofBody!, name: Buffer.from('bob.eth') } }
    expect(await checkSignatures(sampleSigner().sign(other))).toEqual({
      ...refused,
      message: 'invalid username proof signature',
    })
  })
})
