import type Long from 'long'
import type { Reader } from 'protobufjs/minimal.js'

/** Bytes of a varint whose digits a number holds exactly, or too large a sum that shows it. */
const EXACT_BYTES = 8

/**
 * Reads a uint64 as a number. The generated code calls it in place of its own reader, which allocates two objects
 * for each number.
 *
 * @throws Error for more than 2^53 - 1.
 */
export function readUint64(reader: Reader): number {
  const value = readVarint(reader)
  if (value > Number.MAX_SAFE_INTEGER) throw new Error('Value is larger than Number.MAX_SAFE_INTEGER')
  return value
}

/** Reads a bound of a request. One above 2^53 - 1 is above every id and time, as the largest uint64 that clients send. */
export function readBound(reader: Reader): number {
  return Math.min(readVarint(reader), Number.MAX_SAFE_INTEGER)
}

function readVarint(reader: Reader): number {
  const { buf, len } = reader
  let value = 0
  let factor = 1
  let position = reader.pos
  for (let index = 0; index < EXACT_BYTES && position < len; index++) {
    const byte = buf[position++]!
    value += (byte & 127) * factor
    if (byte < 128) {
      reader.pos = position
      return value
    }
    factor *= 128
  }
  // Longer forms, and the error of bytes that end too early.
  return (reader.uint64() as Long).toUnsigned().toNumber()
}
