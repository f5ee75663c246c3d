import { describe, expect, it } from 'vitest'
import type { Refusal } from '../platform/errors.js'
import {
  decodeMessage,
  decodeStoredMessage,
  encodeMessage,
  fromProtobuf,
  isRefusal,
  toProtobuf,
} from './codec.js'
import { CastAddBody, Message, MessageData, MessageType, SignatureScheme } from './definitions.js'
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
const parseFailure = 'bad_request.parse_failure'
const invalid = 'bad_request.validation_failure'

/** A Message in the encoding of another client. */
function encoded(parts: Partial<Message>): Buffer {
  return Buffer.from(Message.encode({ ...toProtobuf(cast), ...parts }).finish())
}

function refusal(bytes: Buffer): Refusal {
  const result = decodeMessage(bytes)
  if (!isRefusal(result)) throw new Error('it was decoded')
  return result
}

/** The refusal of malformed data. */
const malformed = { code: parseFailure, message: 'data is not a valid protobuf MessageData' }
/** The refusal of a malformed message. */
const noMessage = { code: parseFailure, message: 'message is not a valid protobuf Message' }

function message(bytes: Buffer): SignedMessage {
  const result = decodeMessage(bytes)
  if (isRefusal(result)) throw new Error(result.message)
  return result
}

/** The cast with these bytes as its data. */
function withData(dataBytes: Buffer): Buffer {
  return encodeMessage({ ...cast, dataBytes })
}

/** A length-delimited field: its number, then its content. */
function field(number: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : [(length & 127) | 128, ((length >>> 7) & 127) | 128, length >>> 14]
  return Buffer.concat([Buffer.of((number << 3) | 2, ...size), content])
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

  it('takes the bytes of `data` if there are no `data_bytes`', () => {
    const onlyData = encoded({ data: cast.data, dataBytes: undefined })
    expect(message(onlyData)).toEqual(cast)
    const emptyDataBytes = encoded({ data: cast.data, dataBytes: Buffer.alloc(0) })
    expect(message(emptyDataBytes)).toEqual(cast)
  })

  it('accepts equal `data` beside `data_bytes`, in any encoding', () => {
    expect(message(encoded({ data: cast.data }))).toEqual(cast)
    // Another encoder leaves out the empty packed fields that this one writes.
    const like = sampleMessage(MessageType.CAST_ADD, { castAddBody: { ...CastAddBody.create(), text: 'gm' } })
    const lean = Buffer.from(
      like.dataBytes.toString('latin1').replace('\x12\x00', '').replace('*\x00', ''),
      'latin1',
    )
    lean[lean.indexOf(Buffer.of(0x2a)) + 1]! -= 4
    expect(MessageData.decode(lean)).toEqual(like.data)
    const both = Buffer.concat([field(1, lean), encodeMessage(like)])
    expect(message(both).dataBytes).toEqual(like.dataBytes)
  })

  it('refuses `data` that differs from `data_bytes`', () => {
    const other = sampleData(MessageType.CAST_ADD, {
      castAddBody: { ...CastAddBody.create(), text: 'something else' },
    })
    expect(refusal(encoded({ data: other }))).toEqual({ code: invalid, message: 'data and dataBytes differ' })
    expect(refusal(Buffer.concat([encodeMessage(cast), field(1, Buffer.of(0x08))])).code).toBe(invalid)
  })

  it('accepts `data` up to the size limit of `data_bytes`', () => {
    /** The data of the cast padded to a size with an unknown field. */
    const padded = (sizeBytes: number) =>
      Buffer.concat([cast.dataBytes, field(13, Buffer.alloc(sizeBytes - cast.dataBytes.length - 4))])
    const beside = (data: Buffer) => Buffer.concat([encodeMessage(cast), field(1, data)])
    expect(message(withData(padded(65_536))).data).toEqual(cast.data)
    expect(message(beside(padded(65_536)))).toEqual(cast)
    expect(refusal(beside(padded(65_537))).message).toBe('data and dataBytes differ')
  })

  it('refuses a message without data', () => {
    const missing = { code: invalid, message: 'data is missing' }
    for (const bytes of [encoded({ dataBytes: undefined }), encoded({ dataBytes: Buffer.alloc(0) })]) {
      expect(refusal(bytes)).toEqual(missing)
    }
    expect(refusal(Buffer.alloc(0))).toEqual(missing)
    expect(refusal(field(1, Buffer.alloc(0)))).toEqual(missing)
    const stored = { ...toProtobuf(cast), dataBytes: undefined }
    expect(() => fromProtobuf(stored)).toThrow('a stored message has no data_bytes')
  })

  it('refuses oversized data before it is decoded', () => {
    const tooLong = { code: invalid, message: 'dataBytes > 65536 bytess' }
    expect(refusal(withData(Buffer.alloc(65_537)))).toEqual(tooLong)
    expect(refusal(withData(Buffer.alloc(65_536)))).toEqual(malformed)
  })

  it('refuses a message truncated anywhere, or followed by anything but a field', () => {
    const bytes = encodeMessage(cast)
    for (let length = 1; length < bytes.length; length++) {
      const result = decodeMessage(bytes.subarray(0, length))
      // Truncated between two fields it is a message, but not a valid one.
      if (!isRefusal(result)) expect(validateStateless(result, sampleContext)).not.toBeNull()
    }
    const tails = ['00', '07', '0b', '0c', '0200', '1205', '3a05', 'ff', '0000000000']
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
    expect(decodable).toEqual([2, 6, 11, 13])
  })

  it('refuses repeated nested fields of data', () => {
    const twice = Buffer.concat([field(1, cast.dataBytes), field(1, cast.dataBytes)])
    expect(refusal(twice).code).toBe(parseFailure)
    const body = Buffer.from(CastAddBody.encode(cast.data.castAddBody!).finish())
    expect(refusal(withData(Buffer.concat([cast.dataBytes, field(5, body)]))).code).toBe(parseFailure)
  })

  it('skips unknown fields', () => {
    const unknown = Buffer.concat([field(15, Buffer.from('new')), Buffer.of(0x70, 0x01)])
    expect(message(Buffer.concat([encodeMessage(cast), unknown]))).toEqual(cast)
    const laterBody = field(25, Buffer.from('a later body')).subarray(1)
    const data = Buffer.concat([cast.dataBytes, Buffer.of(0xca, 0x01), laterBody])
    expect(message(withData(data)).data).toEqual(cast.data)
  })
})

describe('numbers on the wire', () => {
  const fidOf = (varint: string) =>
    withData(Buffer.from(`0801 10${varint} 1801 2001`.replaceAll(' ', ''), 'hex'))

  it('are accepted up to 2^53 - 1', () => {
    expect(message(fidOf('ffffffffffffff0f')).data.fid).toBe(Number.MAX_SAFE_INTEGER)
    for (const tooLarge of ['8080808080808010', 'ffffffffffffffffff01']) {
      const expected = { code: parseFailure, message: 'a number in data is larger than 2^53 - 1' }
      expect(refusal(fidOf(tooLarge))).toEqual(expected)
    }
  })

  it('are refused if they are longer than their type', () => {
    expect(refusal(fidOf('ffffffffffffffffffffff01')).code).toBe(parseFailure)
    const sixByteType = Buffer.from('0881808080800010011801', 'hex')
    expect(refusal(withData(sixByteType)).code).toBe(parseFailure)
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
        const expected = { code: parseFailure, message: 'a string in data is not valid UTF-8' }
        expect(refusal(place(text))).toEqual(expected)
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
      if (!isRefusal(result)) expect(result.data).toEqual(MessageData.decode(result.dataBytes))
    }
  })

  it('without a known scheme are refused', () => {
    const scheme = (hex: string) => Buffer.concat([encodeMessage(cast), Buffer.from(`28${hex}`, 'hex')])
    for (const hex of ['ffffffffffffffffff01', 'ffffffff1f', '80']) {
      expect(refusal(scheme(hex))).toEqual(noMessage)
    }
    expect(message(scheme('00')).signatureScheme).toBe(SignatureScheme.NONE)
    expect(message(encoded({ signatureScheme: SignatureScheme.EIP712 })).signatureScheme).toBe(2)
  })
})
