import { beforeAll, describe, expect, it } from 'vitest'
import { isRefusal, type Refusal } from '../platform/errors.js'
import { decodeMessage, fromProtobuf } from './codec.js'
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
import {
  checkSignatures,
  hasClaim,
  proRefusal,
  requiresPro,
  validateContent,
  validateEnvelope,
  validateStateless,
} from './validate.js'

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

  it('C.16 accepts messages of mainnet on mainnet, of all networks on others', () => {
    const of = (network: number) => sampleMessage(MessageType.REACTION_ADD, { ...like, network })
    expect(text(of(1))).toBeUndefined()
    for (const network of [0, 2, 3, 4]) expect(text(of(network))).toBe('invalid network')
    for (const hub of [2, 3]) {
      const context = { ...sampleContext, network: hub }
      for (const network of [1, 2, 3]) expect(text(of(network), context)).toBeUndefined()
      for (const network of [0, 4, -1]) expect(text(of(network), context)).toBe('invalid network')
    }
  })

  it('accepts timestamps up to ten minutes ahead, and any in the past', () => {
    const at = (timestamp: number) => sampleMessage(MessageType.REACTION_ADD, { ...like, timestamp })
    expect(text(at(SAMPLE_TIME + 600))).toBeUndefined()
    expect(text(at(SAMPLE_TIME + 601))).toBe('timestamp more than 10 mins in the future')
    expect(text(at(0))).toBeUndefined()
  })

  it('a message that another hub has accepted may have any timestamp: the clock here may be behind', () => {
    const synced = { ...sampleContext, isSynced: true }
    for (const timestamp of [0, SAMPLE_TIME + 601, 2 ** 32 - 1]) {
      expect(text(sampleMessage(MessageType.REACTION_ADD, { ...like, timestamp }), synced)).toBeUndefined()
    }
  })

  it('C.10 judges a body by its own kind, whatever the type, and accepts fid 0', () => {
    const of = (type: number, parts: object = {}) => sampleMessage(type as MessageType, parts)
    const badLike = { reactionBody: { ...like.reactionBody, type: 3 as number } }
    for (const type of [0, 9, 10, 22, 99, -1, MessageType.CAST_ADD]) {
      expect(text(of(type, like))).toBeUndefined()
      expect(text(of(type, badLike))).toBe('invalid reaction type')
      expect(text(of(type, {}))).toBeUndefined()
    }
    expect(text(of(MessageType.REACTION_ADD, { ...like, fid: 0 }))).toBeUndefined()
  })

  it('C.1 refuses the body of a channel where channels are not active', () => {
    const channelPinBody = { channelId: Buffer.alloc(32), castHash: Buffer.alloc(0) }
    for (const type of [MessageType.CAST_ADD, MessageType.CHANNEL_PIN]) {
      const message = sampleMessage(type, { channelPinBody })
      expect(text(message)).toBe('invalid message type')
      expect(text(message, { ...sampleContext, network: 3 })).toBeUndefined()
    }
  })

  it('C.16 checks the envelope before timestamp and body', () => {
    const bad = sampleMessage(MessageType.REACTION_ADD, {
      reactionBody: { ...like.reactionBody, type: 3 as number },
      timestamp: SAMPLE_TIME + 601,
    })
    expect(validateEnvelope(bad, sampleContext)).toBeNull()
    expect(validateContent(bad, sampleContext)?.message).toBe('timestamp more than 10 mins in the future')
    expect(text({ ...bad, hash: Buffer.alloc(20) })).toBe('invalid hash')
  })

  it('C.10 refuses what needs the pro tier without it: 10k casts, banners and the size of casts', async () => {
    const noPro = { ...sampleContext, isPro: false }
    const { tenKCast } = await validSamples()
    expect(text(sampleSigner().sign(tenKCast!), noPro)).toBe('Pro subscription required')
    const short = { ...tenKCast!, castAddBody: { ...tenKCast!.castAddBody!, text: 'short' } }
    expect(text(sampleSigner().sign(short), noPro)).toBe('Pro subscription required')
    const banner = sampleMessage(MessageType.USER_DATA_ADD, {
      userDataBody: { type: 10, value: 'x'.repeat(257) },
    })
    expect(text(banner, noPro)).toBe('Pro subscription required')
    expect(proRefusal(banner).message).toBe('Pro subscription required')
    const long = { ...tenKCast!, castAddBody: { ...tenKCast!.castAddBody!, text: 't'.repeat(2048) } }
    expect(text(sampleSigner().sign(long), noPro)).toBe('dataBytes > 2048 bytess')
    expect(proRefusal(sampleSigner().sign(long)).message).toBe('dataBytes > 2048 bytess')
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

describe('a message with the body of another type', () => {
  it('has the claim of its body, and needs the pro tier for its body', async () => {
    const { ethVerification, tenKCast } = await validSamples()
    const verification = sampleSigner().sign({ ...ethVerification!, type: MessageType.CAST_ADD })
    expect([hasClaim(verification), await checkSignatures(verification)]).toEqual([true, null])
    const stolen = sampleSigner().sign({ ...ethVerification!, fid: 2, type: MessageType.CAST_ADD })
    expect((await checkSignatures(stolen))?.message).toBe('invalid claimSignature')
    expect(requiresPro(sampleSigner().sign({ ...tenKCast!, type: MessageType.LINK_ADD }))).toBe(true)
    const like = sampleMessage(MessageType.KEY_ADD, {
      reactionBody: { type: 1, targetCastId: undefined, targetUrl: 'a' },
    })
    expect([hasClaim(like), requiresPro(like)]).toEqual([false, false])
  })
})

describe('hasClaim', () => {
  it('is true for the types with a second signature', async () => {
    const having: string[] = []
    for (const [name, data] of Object.entries(await validSamples())) {
      if (hasClaim(sampleSigner().sign(data))) having.push(name)
    }
    expect(having).toEqual(['ethVerification', 'solVerification', 'keyAdd', 'keyRemove'])
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

  it('tells a signer that is no key from a wrong signature', async () => {
    const good = sampleMessage(MessageType.REACTION_ADD, like)
    const noPoint = Buffer.alloc(32)
    noPoint[0] = 2
    expect((await checkSignatures({ ...good, signer: noPoint }))?.message).toBe(
      'signer is missing or invalid',
    )
    const smallOrder = Buffer.alloc(32)
    expect(await checkSignatures({ ...good, signer: smallOrder })).toEqual(refused)
  })

  it('refuses the claim of another message, with the text of its kind', async () => {
    const data = (await validSamples()).ethVerification!
    const blockHash = Buffer.alloc(32, 7)
    const other = {
      ...data,
      verificationAddAddressBody: { ...data.verificationAddAddressBody!, blockHash },
    }
    expect(await checkSignatures(sampleSigner().sign(other))).toEqual({
      ...refused,
      message: 'invalid claimSignature',
    })
  })
})
