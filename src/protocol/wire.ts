import { isUtf8 } from 'node:buffer'
import type { FieldType, Schema, WireField } from './wire-schema.js'

/**
 * A fault of the protobuf wire form, found before the generated decoder runs.
 *
 * That decoder accepts what the reference node refuses (docs/protocol.md §3.2): invalid UTF-8, wrong wire
 * types, truncated strings, a nested message that runs past its end, bytes after a zero tag. Two nodes must
 * read the same content from the same bytes, so all of these are refused.
 */
export type WireFault = 'malformed' | 'invalid utf-8' | 'number too large'

const WIRE_VARINT = 0
const WIRE_FIXED64 = 1
const WIRE_BYTES = 2
const WIRE_GROUP = 3
const WIRE_GROUP_END = 4
const WIRE_FIXED32 = 5

/** Most levels of messages and groups within each other, as in the reference node. */
const MAX_DEPTH = 100
/** Most bytes in which the generated decoder reads a tag, a length or a 32-bit number. */
const MAX_UINT32_BYTES = 5
const MAX_VARINT_BYTES = 10

/** Reads tags and lengths of `bytes[position, end)`. After a fault the position is undefined. */
export class WireReader {
  position: number
  end: number
  /** True once something was read that the generated decoder would misread (docs/protocol.md §3.2). */
  isIrregular = false

  constructor(
    readonly bytes: Buffer,
    position = 0,
    end = bytes.length,
  ) {
    this.position = position
    this.end = end
  }

  /** Returns the bytes of the varint at the position; 0 if it is truncated or longer than 64 bits. */
  varintLength(): number {
    if (this.position < this.end && this.bytes[this.position]! < 0x80) return 1
    const limit = Math.min(this.end, this.position + MAX_VARINT_BYTES)
    for (let index = this.position; index < limit; index++) {
      const byte = this.bytes[index]!
      if (byte < 0x80) {
        const length = index - this.position + 1
        return length === MAX_VARINT_BYTES && byte > 1 ? 0 : length
      }
    }
    return 0
  }

  /** Reads a tag or a length, in any number of bytes; -1 if it is malformed or has more than 32 bits. */
  readUint32(): number {
    const length = this.varintLength()
    if (length === 1) return this.bytes[this.position++]!
    if (length === 0) return -1
    if (length > MAX_UINT32_BYTES) this.isIrregular = true
    let value = 0
    for (let index = length - 1; index >= 0; index--) {
      value = value * 128 + (this.bytes[this.position + index]! & 0x7f)
    }
    this.position += length
    return value > 0xffff_ffff ? -1 : value
  }

  /** Reads the low 32 bits of a varint as a signed number, such as an enum; null if it is malformed. */
  readInt32(): number | null {
    const length = this.varintLength()
    if (length === 0) return null
    let value = 0
    for (let index = Math.min(length, MAX_UINT32_BYTES) - 1; index >= 0; index--) {
      value = (value << 7) | (this.bytes[this.position + index]! & 0x7f)
    }
    this.position += length
    return value
  }

  /** Reads a length and skips its content. Returns the start of the content, or -1. */
  readBytes(): number {
    const length = this.readUint32()
    if (length < 0 || length > this.end - this.position) return -1
    const start = this.position
    this.position += length
    return start
  }

  /** Skips the value of an unknown field. Returns false if it is malformed or nested too deep. */
  skip(wireType: number, number: number, depth = MAX_DEPTH): boolean {
    if (depth <= 0) return false
    switch (wireType) {
      case WIRE_VARINT: {
        const length = this.varintLength()
        this.position += length
        return length > 0
      }
      case WIRE_FIXED64:
        this.position += 8
        return this.position <= this.end
      case WIRE_BYTES:
        return this.readBytes() >= 0
      case WIRE_GROUP:
        return this.#skipGroup(number, depth)
      case WIRE_FIXED32:
        this.position += 4
        return this.position <= this.end
      default:
        return false
    }
  }

  #skipGroup(number: number, depth: number): boolean {
    this.isIrregular = true
    while (this.position < this.end) {
      const tag = this.readUint32()
      if (tag < 8) return false
      if ((tag & 7) === WIRE_GROUP_END) return tag >>> 3 === number
      if (!this.skip(tag & 7, tag >>> 3, depth - 1)) return false
    }
    return false
  }
}

/** Result of `inspectWire`: a fault; `irregular`; null if the generated decoder reads what the network reads. */
export type WireFinding = WireFault | 'irregular' | null

/**
 * Inspects an encoded message. `irregular` bytes decode, but mean something else to the generated decoder than to
 * the network, such as two members of one `oneof`: `canonicalEncoding` is what it must read.
 */
export function inspectWire(bytes: Buffer, schema: Schema): WireFinding {
  const inspection = new Inspection(bytes)
  const fault = inspection.messageFault(schema, MAX_DEPTH)
  if (fault !== null) return fault
  if (inspection.hasLargeNumber) return 'number too large'
  return inspection.isIrregular ? 'irregular' : null
}

class Inspection extends WireReader {
  hasLargeNumber = false

  messageFault(schema: Schema, depth: number): WireFault | null {
    const { fields } = schema
    let seen = 0
    while (this.position < this.end) {
      const tag = this.readUint32()
      if (tag < 8) return 'malformed'
      const field = fields[tag >>> 3]
      if (field === undefined) {
        if (!this.skip(tag & 7, tag >>> 3, depth)) return 'malformed'
        continue
      }
      if ((seen & field.clash) !== 0) this.isIrregular = true
      seen |= field.bit
      const fault = this.#fieldFault(field, tag & 7, depth)
      if (fault !== null) return fault
    }
    return null
  }

  #fieldFault(field: WireField, wireType: number, depth: number): WireFault | null {
    const { type } = field
    if (isNumeric(type)) {
      if (wireType === WIRE_VARINT) return this.#numberFault(type)
      return wireType === WIRE_BYTES && field.repeated ? this.#packedFault(type) : 'malformed'
    }
    if (wireType !== WIRE_BYTES) return 'malformed'
    const start = this.readBytes()
    if (start < 0) return 'malformed'
    if (type === 'bytes') return null
    if (type === 'string') {
      return isUtf8(this.bytes.subarray(start, this.position)) ? null : 'invalid utf-8'
    }
    if (depth <= 0) return 'malformed'
    const outerEnd = this.end
    this.end = this.position
    this.position = start
    const fault = this.messageFault(type, depth - 1)
    this.end = outerEnd
    return fault
  }

  #packedFault(type: NumericType): WireFault | null {
    const start = this.readBytes()
    if (start < 0) return 'malformed'
    const outerEnd = this.end
    this.end = this.position
    this.position = start
    while (this.position < this.end) {
      const fault = this.#numberFault(type)
      if (fault !== null) return fault
    }
    this.end = outerEnd
    return null
  }

  #numberFault(type: NumericType): WireFault | null {
    const length = this.varintLength()
    if (length === 0) return 'malformed'
    if (length <= MAX_UINT32_BYTES) {
      this.position += length
      return null
    }
    if (type === 'uint64') {
      if (length > 7 && exceedsSafeInteger(this.bytes, this.position, length)) this.hasLargeNumber = true
    } else if (length < MAX_VARINT_BYTES) {
      // Negative enums take ten bytes. Between five and ten the generated decoder loses its position.
      this.isIrregular = true
    }
    this.position += length
    return null
  }
}

/** Returns true if a varint is larger than 2^53 - 1. Seven bytes hold 49 bits. */
function exceedsSafeInteger(bytes: Buffer, start: number, length: number): boolean {
  if ((bytes[start + 7]! & 0x70) !== 0) return true
  for (let index = 8; index < length; index++) if ((bytes[start + index]! & 0x7f) !== 0) return true
  return false
}

type NumericType = 'uint32' | 'int32' | 'uint64'

/** Returns true for the types that are varints. */
export function isNumeric(type: FieldType): type is NumericType {
  return type === 'uint32' || type === 'int32' || type === 'uint64'
}
