import { WireReader } from '../../../protocol/wire.js'

/** A field of a protobuf message that is length-delimited: its number, and the bytes behind the length. */
export interface BytesField {
  readonly number: number
  readonly bytes: Uint8Array
}

const WIRE_BYTES = 2

/** An encoded message of these fields, in their order. */
export function encodeFields(fields: readonly BytesField[]): Buffer {
  return Buffer.concat(fields.flatMap(({ number, bytes }) => [lengthDelimited(number, bytes.length), bytes]))
}

/** The tag and the length in front of a field. */
export function lengthDelimited(number: number, length: number): Buffer {
  return Buffer.from([...varint(number * 8 + WIRE_BYTES), ...varint(length)])
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  bytes.push(rest)
  return bytes
}

/**
 * Calls back for each field of an encoded message that Plaza itself has encoded: the number of the field, where it
 * starts with its tag, and where its content starts and ends. The content of numbers is not told apart from their tag.
 */
export function eachField(
  bytes: Buffer,
  range: { readonly start: number; readonly end: number },
  call: (number: number, start: number, content: number, end: number) => void,
): void {
  const reader = new WireReader(bytes, range.start, range.end)
  while (reader.position < range.end) {
    const start = reader.position
    const tag = reader.readUint32()
    if ((tag & 7) === WIRE_BYTES) {
      const content = reader.readBytes()
      if (content < 0) throw new Error('a stored message is cut off')
      call(tag >>> 3, start, content, reader.position)
    } else {
      if (tag < 8 || !reader.skip(tag & 7)) throw new Error('a stored message is not protobuf')
      call(tag >>> 3, start, start, reader.position)
    }
  }
}
