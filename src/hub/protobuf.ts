import { WireReader } from '../protocol/wire.js'

/** A length-delimited field of a protobuf message: its number and content. */
export interface BytesField {
  readonly number: number
  readonly bytes: Uint8Array
}

const WIRE_BYTES = 2
/** Every list of the service has its items in field 1 and the token of the next page in field 2. */
const ITEMS = 1
const NEXT_PAGE_TOKEN = 2

/** Encodes a page of encoded items; the token is left out at the end. */
export function listReply(items: readonly Uint8Array[], nextPageToken: Uint8Array | undefined): Buffer {
  const fields: BytesField[] = items.map((bytes) => ({ number: ITEMS, bytes }))
  if (nextPageToken) fields.push({ number: NEXT_PAGE_TOKEN, bytes: nextPageToken })
  return encodeFields(fields)
}

/**
 * Encodes a message of these fields, in their order. It copies each byte once into memory of the right size: with a buffer for
 * each head, a page of 10,000 events took the thread 11 to 24 ms, and 4 to 7 ms so.
 */
export function encodeFields(fields: readonly BytesField[]): Buffer {
  let size = 0
  for (const { number, bytes } of fields) {
    size += varintSize(number * 8 + WIRE_BYTES) + varintSize(bytes.length) + bytes.length
  }
  const encoded = Buffer.allocUnsafe(size)
  let end = 0
  for (const { number, bytes } of fields) {
    end = writeVarint(encoded, number * 8 + WIRE_BYTES, end)
    end = writeVarint(encoded, bytes.length, end)
    encoded.set(bytes, end)
    end += bytes.length
  }
  return encoded
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size += 1
  return size
}

/** Returns the position behind it. */
function writeVarint(target: Buffer, value: number, position: number): number {
  let end = position
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) target[end++] = (rest % 128) | 0x80
  target[end++] = rest
  return end
}

/** The tag and length in front of a length-delimited field. */
export function lengthDelimited(number: number, length: number): Buffer {
  return Buffer.from([...varint(number * 8 + WIRE_BYTES), ...varint(length)])
}

/** Encodes an unsigned integer. */
export function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  bytes.push(rest)
  return bytes
}

/**
 * Calls back for each field of the message in `bytes[from, to)`: the number of the field, where its tag starts,
 * and where its content starts and ends. The content of a field that is not length-delimited starts with its tag.
 *
 * @throws Error if the bytes are not a message.
 */
export function eachField(
  bytes: Buffer,
  call: (number: number, start: number, content: number, end: number) => void,
  from = 0,
  to = bytes.length,
): void {
  const reader = new WireReader(bytes, from, to)
  while (reader.position < to) {
    const start = reader.position
    const tag = reader.readUint32()
    // Field 0 is none (docs/protocol.md §3.2).
    if (tag < 8) throw new Error('not protobuf')
    if ((tag & 7) === WIRE_BYTES) {
      const content = reader.readBytes()
      if (content < 0) throw new Error('protobuf is truncated')
      call(tag >>> 3, start, content, reader.position)
    } else {
      if (!reader.skip(tag & 7, tag >>> 3)) throw new Error('not protobuf')
      call(tag >>> 3, start, start, reader.position)
    }
  }
}
