import { asBuffer } from '../bytes.js'
import { encodeMessage } from '../codec.js'
import { type HashScheme, Message, MessageData, MessageType, type SignatureScheme } from '../definitions.js'
import type { SignedMessage } from '../message.js'
import { boundaryCases } from './boundary-cases.js'
import { mutateBytes, mutateData } from './mutate.js'
import { type Random, seededRandom } from './random.js'
import { envelopeOf, SAMPLE_TIME, sampleMessage, sampleSigner } from './sample-messages.js'
import { forgeWithSmallKey, forgeWithSmallR } from './small-order.js'

/** Samples with claims, which take milliseconds, are chosen less often. */
const CLAIM_SHARE = 4

/** Yields `count` encoded messages, valid ones and ones broken in every field, reproducible by seed. */
export function* randomCases(
  samples: Record<string, MessageData>,
  count: number,
  seed: number,
): Generator<Buffer> {
  const random = seededRandom(seed)
  const names = Object.keys(samples)
  const hasClaim = (name: string) => /Verification|Proof|key/.test(name)
  const all = Object.values(samples)
  for (let made = 0; made < count; made++) {
    let name = random.pick(names)
    if (hasClaim(name) && random.below(CLAIM_SHARE) > 0) name = random.pick(names)
    yield randomCase(samples[name]!, random, all)
  }
}

function randomCase(data: MessageData, random: Random, others: readonly MessageData[]): Buffer {
  const signer = sampleSigner(1 + random.below(4))
  const way = random.below(20)
  const once = way < 2 || way > 12 ? data : mutateData(data, random, others)
  const twice = once !== data && random.below(4) === 0 ? mutateData(once, random, others) : once
  const envelope = envelopeOf(encodeData(twice), signer)
  if (way < 13) return encode(withData(envelope, twice, random))
  if (way < 16) return encode(envelopeOf(mutateBytes(envelope.dataBytes!, random), signer))
  if (way < 17) return mutateBytes(encode(envelope), random)
  return encode({ ...envelope, ...random.pick(envelopeChanges(envelope, data, random)) })
}

/** Most clients send dataBytes, some data, some both. */
function withData(envelope: Message, data: MessageData, random: Random): Message {
  switch (random.below(8)) {
    case 0:
      return { ...envelope, data, dataBytes: undefined }
    case 1:
      return { ...envelope, data }
    default:
      return envelope
  }
}

function envelopeChanges(envelope: Message, data: MessageData, random: Random): readonly Partial<Message>[] {
  const { dataBytes, hash, signature, signer } = envelope
  const filled = () => Buffer.alloc(random.pick([0, 1, 19, 20, 21, 31, 32, 33, 63, 64, 65]), 1)
  const otherScheme = () => random.pick([-1, 0, 2, 99]) as HashScheme & SignatureScheme
  return [
    { hash: mutateBytes(hash, random) },
    { hash: filled() },
    { hashScheme: otherScheme() },
    { signature: mutateBytes(signature, random) },
    { signature: filled() },
    { signatureScheme: otherScheme() },
    { signer: mutateBytes(signer, random) },
    { signer: filled() },
    { signer: sampleSigner(7).publicKey },
    { dataBytes: mutateBytes(dataBytes!, random) },
    { dataBytes: undefined },
    { dataBytes: Buffer.alloc(0) },
    { data, dataBytes: undefined },
    { data, dataBytes: Buffer.alloc(0) },
    { data },
    { data: { ...data, timestamp: data.timestamp - 1 } },
    { data: { ...data, fid: random.below(5) } },
  ]
}

function encode(message: Message): Buffer {
  return asBuffer(Message.encode(message).finish())
}

function encodeData(data: MessageData): Buffer {
  return asBuffer(MessageData.encode(data).finish())
}

/** Returns every limit of every rule, and cases that random choice would miss. */
export function directedCases(samples: Record<string, MessageData>): Buffer[] {
  const boundarySamples = boundaryCases(samples).map(({ data }) => encode(envelopeOf(encodeData(data))))
  return [...boundarySamples, ...craftedCases(samples)]
}

function craftedCases(samples: Record<string, MessageData>): Buffer[] {
  const castBody = samples.castAdd!.castAddBody!
  const cast = sampleSigner().sign(samples.castAdd!)
  const plain = sampleMessage(MessageType.CAST_ADD, {
    castAddBody: { ...castBody, text: 'gm', mentions: [], mentionsPositions: [] },
  })
  const large = { ...castBody, text: 't'.repeat(10_000), type: 2 }
  const notUtf8 = Buffer.from(cast.dataBytes)
  notUtf8[notUtf8.indexOf('gm')] = 0xff
  const contract = {
    ...samples.ethVerification!.verificationAddAddressBody!,
    ...{ verificationType: 1, chainId: 10 },
  }
  const selfSignedRemoval = {
    ...samples.keyRemove!.keyRemoveBody!,
    signatureType: 2,
    signature: Buffer.alloc(0),
  }
  const keyRemove = { ...samples.keyRemove!, keyRemoveBody: selfSignedRemoval }
  const manyFids = Array.from({ length: 16_000 }, () => 100_000)
  const compactState = { type: 'follow', targetFids: manyFids }
  return [
    ...[forgeWithSmallKey(), forgeWithSmallR(cast.hash)].map(({ signature, publicKey }) =>
      encodeMessage({ ...cast, signature, signer: publicKey }),
    ),
    encode(envelopeOf(notUtf8)),
    ...[leanEncoding(plain, true), leanEncoding(plain, false)],
    encodeMessage(sampleMessage(MessageType.CAST_ADD, { castAddBody: large })),
    encodeMessage(sampleMessage(MessageType.LINK_COMPACT_STATE, { linkCompactStateBody: compactState })),
    encodeMessage(
      sampleMessage(MessageType.VERIFICATION_ADD_ETH_ADDRESS, { verificationAddAddressBody: contract }),
    ),
    ...[1, 9].map((signer) => encodeMessage(sampleSigner(signer).sign(keyRemove))),
    ...[SAMPLE_TIME + 600, SAMPLE_TIME + 601, 0].map((timestamp) =>
      encodeMessage(sampleSigner().sign({ ...samples.castAdd!, timestamp })),
    ),
  ]
}

/**
 * Other encodings: `data` without the empty packed lists of the library, hashed over it or over the library's
 * encoding.
 */
function leanEncoding(message: SignedMessage, hashesLean: boolean): Buffer {
  const full = message.dataBytes.toString('latin1')
  const leanBytes = Buffer.from(full.replace('\x12\x00', '').replace('*\x00', ''), 'latin1')
  leanBytes[leanBytes.indexOf(0x2a) + 1]! -= 4
  const envelope = envelopeOf(hashesLean ? leanBytes : message.dataBytes)
  return Buffer.concat([
    Buffer.of(0x0a, leanBytes.length),
    leanBytes,
    encode({ ...envelope, dataBytes: undefined }),
  ])
}
