/**
 * Just enough of protobuf's wire form to take encoded messages out of a network file without decoding them:
 * what was signed stays as it is, and fields that this package's older codecs do not know are not lost.
 */

const WIRE_VARINT = 0
const WIRE_FIXED64 = 1
const WIRE_BYTES = 2
const WIRE_FIXED32 = 5

/** @typedef {{ value: number, end: number }} Varint */

/**
 * @param {Buffer} bytes
 * @param {number} at
 * @returns {Varint | null} null when the bytes end inside it
 */
export function readVarint(bytes, at) {
  let value = 0
  let factor = 1
  for (let index = at; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return { value, end: index + 1 }
    factor *= 128
  }
  return null
}

/**
 * @param {number} value
 * @returns {Buffer}
 */
export function writeVarint(value) {
  const bytes = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

/**
 * The first field with this number: its bytes, or its number.
 *
 * @param {Buffer} message
 * @param {number} wanted
 * @returns {Buffer | number | undefined}
 */
export function readField(message, wanted) {
  let at = 0
  while (at < message.length) {
    const tag = varintAt(message, at)
    const field = Math.floor(tag.value / 8)
    const { value, end } = readValue(message, tag.end, tag.value % 8)
    if (field === wanted) return value
    at = end
  }
  return undefined
}

/**
 * @param {Buffer} message
 * @param {number} field
 * @returns {Buffer} empty when it is not set
 */
export function readBytes(message, field) {
  const value = readField(message, field)
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

/**
 * @param {Buffer} message
 * @param {number} field
 * @returns {number} 0 when it is not set
 */
export function readNumber(message, field) {
  const value = readField(message, field)
  return typeof value === 'number' ? value : 0
}

/**
 * @param {Buffer} bytes
 * @param {number} at
 * @param {number} wireType
 * @returns {{ value: Buffer | number, end: number }}
 */
function readValue(bytes, at, wireType) {
  switch (wireType) {
    case WIRE_VARINT:
      return varintAt(bytes, at)
    case WIRE_BYTES: {
      const length = varintAt(bytes, at)
      const end = length.end + length.value
      return { value: bytes.subarray(length.end, end), end }
    }
    case WIRE_FIXED64:
      return { value: bytes.subarray(at, at + 8), end: at + 8 }
    case WIRE_FIXED32:
      return { value: bytes.subarray(at, at + 4), end: at + 4 }
    default:
      throw new Error(`wire type ${wireType} is none that is in use`)
  }
}

/**
 * @param {Buffer} bytes
 * @param {number} at
 * @returns {Varint}
 */
function varintAt(bytes, at) {
  const varint = readVarint(bytes, at)
  if (varint === null) throw new Error('a number is cut off')
  return varint
}
