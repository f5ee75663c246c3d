import { describe, expect, it } from 'vitest'
import { isRefusal, type Refusal } from '../platform/errors.js'
import { decodeMessage, decodeStoredMessage, encodeMessage, fromProtobuf, toProtobuf } from './codec.js'
import {
  CastAddBody,
  Message,
  MessageData,
  MessageType,
  ReactionBody,
  SignatureScheme,
} from './definitions.js'
import type { SignedMessage } from './message.js'
import { seededRandom } from './testing/random.js'
import {
  sampleContext,
  sampleData,
  sampleMessage,
  sampleSigner,
  validSamples,
} from './testing/sample-messages.js'
import { validateStateless } from './validate.js'

const cast = sampleMessage(MessageType.CAST_ADD, {
  castAddBody: { ...CastAddBody.create(), text: 'gm', mentions: [2], mentionsPositions: [1] },
})
const invalid = 'bad_request.validation_failure'
/** Bytes of type, fid, timestamp and network. */
const headBytes = 13

/** A Message in the encoding of another client. */
function encoded(parts: Partial<Message>): Buffer {
  return Buffer.from(Message.encode({ ...toProtobuf(cast), ...parts }).finish())
}

function refusal(bytes: Buffer): Refusal {
  const result = decodeMessage(bytes)
  if (!isRefusal(result)) throw new Error('it was decoded')
  return result
}

/** The refusal of `data_bytes` that do not decode. */
const noData = { code: invalid, message: 'message has no data' }
/** The refusal of a malformed message. */
const noMessage = { code: 'bad_request.parse_failure', message: 'Invalid protobuf data: not a Message' }

function message(bytes: Buffer): SignedMessage {
  const result = decodeMessage(bytes)
  if (isRefusal(result)) throw new Error(result.message)
  return result
}

/** The cast with these bytes as its data. */
function withData(dataBytes: Buffer): Buffer {
  return encodeMessage({ ...cast, dataBytes })
}

/** Encoded data without the two empty lists that the library writes into a short cast. */
function withoutEmptyLists(dataBytes: Buffer): Buffer {
  const lean = Buffer.from(
    dataBytes.toString('latin1').replace('\x12\x00', '').replace('*\x00', ''),
    'latin1',
  )
  lean[lean.indexOf(Buffer.of(0x2a)) + 1]! -= 4
  return lean
}

/** A length-delimited field: its number, then its content. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content])
}

function varint(value: number): Buffer {
  if (value < 128) return Buffer.of(value)
  return Buffer.concat([Buffer.of((value & 127) | 128), varint(value >>> 7)])
}

describe('decodeMessage', () => {
  it('returns what encodeMessage encoded, over the wire and from storage', async () => {
    for (const data of Object.values(await validSamples())) {
      const signed = sampleSigner().sign(data)
      const bytes = encodeMessage(signed)
      expect(message(bytes)).toEqual(signed)
      expect(decodeStoredMessage(bytes)).toEqual(signed)
      expect(fromProtobuf(toProtobuf(signed))).toEqual(signed)
      expect(Message.decode(bytes).data).toBeUndefined()
    }
  })

  it('does not refer to its input', () => {
    const bytes = encodeMessage(cast)
    const decoded = message(bytes)
    bytes.fill(0)
    expect(decoded).toEqual(cast)
  })

  it('C.2 takes the canonical encoding of `data` if there are no `data_bytes`', () => {
    const onlyData = encoded({ data: cast.data, dataBytes: undefined })
    expect(message(onlyData)).toEqual(cast)
    // The library writes two empty lists of numbers, which the canonical encoding has not.
    const plain = sampleMessage(MessageType.CAST_ADD, {
      castAddBody: { ...CastAddBody.create(), text: 'gm' },
    })
    const ofPlain = encoded({ data: plain.data, dataBytes: undefined })
    expect(message(ofPlain).dataBytes).toEqual(withoutEmptyLists(plain.dataBytes))
    expect(message(ofPlain).data).toEqual(plain.data)
    const unknown = field(1, Buffer.concat([cast.dataBytes, field(13, Buffer.from('new'))]))
    expect(message(Buffer.concat([unknown, encoded({ dataBytes: undefined })]))).toEqual(cast)
  })

  it('C.3 keeps `data_bytes` that are present and empty, whatever `data` holds', () => {
    const decoded = message(encoded({ data: cast.data, dataBytes: Buffer.alloc(0) }))
    expect(decoded.data).toEqual(cast.data)
    expect(decoded.dataBytes).toHaveLength(0)
    expect(validateStateless(decoded, sampleContext)?.message).toBe('data is missing')
  })

  it('C.3 ignores `data` beside `data_bytes`, if it is a message', () => {
    const other = sampleData(MessageType.CAST_ADD, {
      castAddBody: { ...CastAddBody.create(), text: 'something else' },
    })
    for (const data of [cast.data, other]) expect(message(encoded({ data }))).toEqual(cast)
    const large = field(1, Buffer.from('10ffffffffffffffffff01', 'hex'))
    expect(message(Buffer.concat([encodeMessage(cast), large]))).toEqual(cast)
    expect(refusal(Buffer.concat([encodeMessage(cast), field(1, Buffer.of(0x08))]))).toEqual(noMessage)
  })

  it('decodes the head of data that is longer than any type may have', () => {
    /** The data of the cast padded to a size with an unknown field. */
    const padded = (sizeBytes: number) =>
      Buffer.concat([cast.dataBytes, field(13, Buffer.alloc(sizeBytes - cast.dataBytes.length - 4))])
    expect(message(withData(padded(65_536))).data).toEqual(cast.data)
    const text = 'x'.repeat(65_537)
    const long = { ...cast.data, castAddBody: { ...cast.data.castAddBody!, text } }
    for (const [bytes, length] of [
      [withData(padded(65_537)), 65_537],
      [field(1, padded(131_073)), 131_073],
      [encoded({ data: long, dataBytes: undefined }), expect.toSatisfy((size) => size > 65_537)],
    ] as const) {
      const { data, dataBytes } = message(bytes)
      expect([data.type, data.fid, data.castAddBody, dataBytes.length]).toEqual([
        cast.data.type,
        cast.data.fid,
        undefined,
        length,
      ])
    }
  })

  it('C.2 measures the canonical encoding of `data`, not what it came in', () => {
    const unknown = Buffer.concat([cast.dataBytes, field(13, Buffer.alloc(65_536))])
    expect(message(field(1, unknown)).dataBytes).toEqual(cast.dataBytes)

    const state = (targetFids: number[]) =>
      sampleMessage(MessageType.LINK_COMPACT_STATE, { linkCompactStateBody: { type: 'follow', targetFids } })
    const targetFids = Array.from({ length: 17_000 }, (_, index) => 20_000 + index)
    const unpacked = targetFids.map((fid) => Buffer.concat([Buffer.of(0x10), varint(fid)]))
    // Two bodies are merged: the first has the type.
    const data = Buffer.concat([state([]).dataBytes, field(17, Buffer.concat(unpacked))])
    expect(data.length).toBeGreaterThan(65_536)
    expect(message(field(1, data)).dataBytes).toEqual(state(targetFids).dataBytes)
  })

  it('refuses a message without data', () => {
    const missing = { code: invalid, message: 'message has no data' }
    for (const bytes of [encoded({ dataBytes: undefined }), encoded({ dataBytes: Buffer.alloc(0) })]) {
      expect(refusal(bytes)).toEqual(missing)
    }
    expect(refusal(Buffer.alloc(0))).toEqual(missing)
    expect(message(field(1, Buffer.alloc(0))).dataBytes).toHaveLength(0)
    const stored = { ...toProtobuf(cast), dataBytes: undefined }
    expect(() => fromProtobuf(stored)).toThrow('a stored message has no data_bytes')
  })

  it('refuses a message truncated anywhere, or followed by anything but a field', () => {
    const bytes = encodeMessage(cast)
    for (let length = 1; length < bytes.length; length++) {
      const result = decodeMessage(bytes.subarray(0, length))
      // Truncated between two fields it is a message, but not a valid one.
      if (!isRefusal(result)) expect(validateStateless(result, sampleContext)).not.toBeNull()
    }
    const tails = ['00', '07', '0b', '0c', '0200', '1205', '3a05', '4b', '4b54', 'ff', '0000000000']
    // Fields of a wrong wire type, and a number that is too long.
    for (const tail of [...tails, '0801', '1001', '1a00', '2a00', '3801', 'ffffffffffffffffffff01']) {
      expect(refusal(Buffer.concat([bytes, Buffer.from(tail, 'hex')]))).toEqual(noMessage)
    }
  })

  it('refuses data truncated anywhere but between two fields', () => {
    const { dataBytes } = cast
    const decodable = Array.from(dataBytes, (_, length) => length).filter(
      (length) => length > 0 && !isRefusal(decodeMessage(withData(dataBytes.subarray(0, length)))),
    )
    // After type, fid, timestamp and network.
    expect(decodable).toEqual([2, 6, 11, headBytes])
  })

  it('C.8 merges `data` that comes twice, and nested messages, field by field', () => {
    const body = cast.data.castAddBody!
    const more = Buffer.from(
      CastAddBody.encode({
        ...CastAddBody.create(),
        text: 'gn',
        mentions: [3],
        mentionsPositions: [2],
      }).finish(),
    )
    const merged = { ...body, text: 'gn', mentions: [2, 3], mentionsPositions: [1, 2] }
    const signed = message(withData(Buffer.concat([cast.dataBytes, field(5, more)])))
    expect(signed.data).toEqual({ ...cast.data, castAddBody: merged })
    expect(signed.isIrregular).toBe(true)
    const inParts = message(Buffer.concat([field(1, cast.dataBytes), field(1, field(5, more))]))
    expect(inParts.data).toEqual({ ...cast.data, castAddBody: merged })
    expect(inParts.isIrregular).toBeUndefined()
    const inMany = [cast.dataBytes, Buffer.alloc(0), field(5, more), Buffer.alloc(0)]
    expect(message(Buffer.concat(inMany.map((part) => field(1, part))))).toEqual(inParts)
    // A part that is broken makes no message, even if the next one completes it.
    const split = [cast.dataBytes.subarray(0, 9), cast.dataBytes.subarray(9)]
    expect(refusal(Buffer.concat(split.map((part) => field(1, part))))).toEqual(noMessage)
  })

  it('C.1 counts the last body on the wire', () => {
    const like = ReactionBody.encode({ type: 1, targetCastId: undefined, targetUrl: 'a' }).finish()
    const castLast = Buffer.concat([
      cast.dataBytes.subarray(0, headBytes),
      field(7, Buffer.from(like)),
      cast.dataBytes.subarray(headBytes),
    ])
    expect(message(withData(castLast)).data).toEqual(cast.data)
    const likeLast = message(withData(Buffer.concat([cast.dataBytes, field(7, Buffer.from(like))]))).data
    expect(likeLast.castAddBody).toBeUndefined()
    expect(likeLast.reactionBody).toMatchObject({ type: 1, targetUrl: 'a' })
  })

  it('C.1 counts the last of several targets, parents and embeds', () => {
    const castId = Buffer.concat([Buffer.from('0803', 'hex'), field(2, Buffer.alloc(20, 1))])
    const url = Buffer.from('https://example.com/')
    const embedOf = (...members: Buffer[]) =>
      message(withData(field(5, field(6, Buffer.concat(members))))).data.castAddBody!.embeds
    expect(embedOf(field(2, castId), field(1, url))).toEqual([{ url: url.toString(), castId: undefined }])
    expect(embedOf(field(1, url), field(2, castId))).toMatchObject([{ url: undefined, castId: { fid: 3 } }])
    const parentOf = (...members: Buffer[]) =>
      message(withData(field(5, Buffer.concat(members)))).data.castAddBody
    expect(parentOf(field(3, castId), field(7, url))).toMatchObject({ parentCastId: undefined })
    expect(parentOf(field(7, url), field(3, castId))).toMatchObject({ parentUrl: undefined })
  })

  it('stores what it read beside bytes that the generated decoder would misread', () => {
    const like = ReactionBody.encode({ type: 1, targetCastId: undefined, targetUrl: 'a' }).finish()
    const signed = message(withData(Buffer.concat([cast.dataBytes, field(7, Buffer.from(like))])))
    expect(MessageData.decode(signed.dataBytes).castAddBody).toBeDefined()
    const stored = encodeMessage(signed)
    expect(decodeStoredMessage(stored)).toEqual(signed)
    expect(message(stored)).toEqual(signed)
  })

  it('skips unknown fields', () => {
    const unknown = Buffer.concat([field(15, Buffer.from('new')), Buffer.of(0x70, 0x01)])
    expect(message(Buffer.concat([encodeMessage(cast), unknown]))).toEqual(cast)
    const data = Buffer.concat([cast.dataBytes, field(25, Buffer.from('a later body'))])
    expect(message(withData(data)).data).toEqual(cast.data)
  })
})

describe('numbers on the wire', () => {
  const fidOf = (varint: string) =>
    withData(Buffer.from(`0801 10${varint} 1801 2001`.replaceAll(' ', ''), 'hex'))

  it('are accepted up to 2^53 - 1', () => {
    expect(message(fidOf('ffffffffffffff0f')).data.fid).toBe(Number.MAX_SAFE_INTEGER)
    for (const tooLarge of ['8080808080808010', 'ffffffffffffffffff01']) {
      const expected = { code: invalid, message: 'a number in data is larger than 2^53 - 1' }
      expect(refusal(fidOf(tooLarge))).toEqual(expected)
    }
  })

  it('C.8 may be longer than their type, whose low 32 bits count; of 64 bits at most', () => {
    expect(refusal(fidOf('ffffffffffffffffffffff01'))).toEqual(noData)
    const sixByteType = Buffer.from('0881808080800010011801', 'hex')
    expect(message(withData(sixByteType)).data).toMatchObject({ type: 1, fid: 1, timestamp: 1 })
    const nineByteTimestamp = Buffer.from('0801100118858080808080808001', 'hex')
    expect(message(withData(nineByteTimestamp)).data.timestamp).toBe(5)
    expect(message(fidOf('83808080808080808000')).data.fid).toBe(3)
  })

  it('may be negative in enums', () => {
    const negativeType = Buffer.from('08ffffffffffffffffff01100118012001', 'hex')
    expect(message(withData(negativeType)).data.type).toBe(-1)
  })
})

describe('text on the wire', () => {
  const notUtf8 = ['ff', 'c080', 'eda080', 'f4908080', 'e282', '80', 'c3'].map((hex) =>
    Buffer.from(hex, 'hex'),
  )
  const replacement = Buffer.from('\uFFFD')
  const body = (number: number, content: Buffer) => withData(field(number, content))
  const places: [string, (text: Buffer) => Buffer][] = [
    ['castAddBody.embedsDeprecated', (text) => body(5, field(1, text))],
    ['castAddBody.text', (text) => body(5, field(4, text))],
    ['castAddBody.embeds.url', (text) => body(5, field(6, field(1, text)))],
    ['castAddBody.parentUrl', (text) => body(5, field(7, text))],
    ['reactionBody.targetUrl', (text) => body(7, field(3, text))],
    ['userDataBody.value', (text) => body(12, field(2, text))],
    ['linkBody.type', (text) => body(14, field(1, text))],
  ]
  const compactType = (text: Buffer) => {
    const content = field(1, text)
    return withData(Buffer.concat([Buffer.of(0x8a, 0x01, content.length), content]))
  }

  it.each([...places, ['linkCompactStateBody.type', compactType] as const])(
    'must be UTF-8 in %s',
    (_, place) => {
      for (const text of notUtf8) {
        expect(refusal(place(text))).toEqual(noData)
      }
      expect(isRefusal(decodeMessage(place(replacement)))).toBe(false)
    },
  )

  it('may be other bytes in fields of type bytes', () => {
    for (const bytes of notUtf8) expect(isRefusal(decodeMessage(body(6, field(1, bytes))))).toBe(false)
  })
})

describe('arbitrary bytes', () => {
  it('never make the decoder throw, and accepted ones decode to their content', () => {
    const random = seededRandom(7)
    const whole = encodeMessage(cast)
    for (let round = 0; round < 20_000; round++) {
      const bytes = round % 2 === 0 ? random.bytes(random.below(200)) : Buffer.from(whole)
      for (let change = random.below(4); change >= 0 && bytes.length > 0; change--) {
        bytes[random.below(bytes.length)] = random.below(256)
      }
      const result = decodeMessage(bytes)
      if (isRefusal(result) || result.dataBytes.length === 0) continue
      if (!result.isIrregular) expect(result.data).toEqual(MessageData.decode(result.dataBytes))
      expect(message(encodeMessage(result))).toEqual(result)
    }
  })

  it('C.8 may have any number as a scheme, a negative one too', () => {
    const scheme = (hex: string) => Buffer.concat([encodeMessage(cast), Buffer.from(`28${hex}`, 'hex')])
    expect(refusal(scheme('80'))).toEqual(noMessage)
    for (const hex of ['ffffffffffffffffff01', 'ffffffff1f']) {
      expect(message(scheme(hex)).signatureScheme).toBe(-1)
      expect(validateStateless(message(scheme(hex)), sampleContext)?.message).toBe('invalid signatureScheme')
    }
    expect(message(scheme('00')).signatureScheme).toBe(SignatureScheme.NONE)
    expect(message(encoded({ signatureScheme: SignatureScheme.EIP712 })).signatureScheme).toBe(2)
  })
})
