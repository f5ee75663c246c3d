import { isUtf8 } from 'node:buffer'
import type { Field, FieldType, Schema } from './wire-schema.js'

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
const WIRE_FIXED32 = 5

/** Reads tags and lengths of `bytes[position, end)`. After a fault the position is undefined. */
export class WireReader {
  position: number
  readonly end: number

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
    const limit = Math.min(this.end, this.position + 10)
    for (let index = this.position; index < limit; index++) {
      const byte = this.bytes[index]!
      if (byte < 0x80) {
        const length = index - this.position + 1
        return length === 10 && byte > 1 ? 0 : length
      }
    }
    return 0
  }

  /** Reads a tag, a length or an enum: an unsigned 32-bit number in at most five bytes; -1 if malformed. */
  readUint32(): number {
    const length = this.varintLength()
    if (length === 0 || length > 5) return -1
    let value = 0
    for (let index = length - 1; index >= 0; index--) {
      value = value * 128 + (this.bytes[this.position + index]! & 0x7f)
    }
    this.position += length
    return value > 0xffff_ffff ? -1 : value
  }

  /** Reads a length and skips its content. Returns the start of the content, or -1. */
  readBytes(): number {
    const length = this.readUint32()
    if (length < 0 || length > this.end - this.position) return -1
    const start = this.position
    this.position += length
    return start
  }

  /** Skips the value of an unknown field. Groups, obsolete since proto2, are malformed. */
  skip(wireType: number): boolean {
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
      case WIRE_FIXED32:
        this.position += 4
        return this.position <= this.end
      default:
        return false
    }
  }
}

/** Returns the first fault of an encoded message in `bytes[start, end)`; null if it decodes exactly. */
export function wireFault(bytes: Buffer, schema: Schema, start = 0, end = bytes.length): WireFault | null {
  const reader = new WireReader(bytes, start, end)
  let seen = 0
  while (reader.position < end) {
    const tag = reader.readUint32()
    if (tag < 0) return 'malformed'
    const number = tag >>> 3
    if (number === 0) return 'malformed'
    const field = schema[number]
    if (field === undefined) {
      if (!reader.skip(tag & 7)) return 'malformed'
      continue
    }
    if (typeof field.type === 'object' && !field.repeated) {
      // The reference node merges a repeated nested message, the generated decoder keeps the last one.
      if ((seen & (1 << number)) !== 0) return 'malformed'
      seen |= 1 << number
    }
    const fault = fieldFault(reader, field, tag & 7)
    if (fault !== null) return fault
  }
  return null
}

function fieldFault(reader: WireReader, field: Field, wireType: number): WireFault | null {
  const { type } = field
  if (isNumeric(type)) {
    if (wireType === WIRE_VARINT) return numberFault(reader, type)
    return wireType === WIRE_BYTES && field.repeated ? packedFault(reader, type) : 'malformed'
  }
  if (wireType !== WIRE_BYTES) return 'malformed'
  const start = reader.readBytes()
  if (start < 0) return 'malformed'
  if (type === 'bytes') return null
  if (type === 'string') {
    return isUtf8(reader.bytes.subarray(start, reader.position)) ? null : 'invalid utf-8'
  }
  return wireFault(reader.bytes, type, start, reader.position)
}

function packedFault(reader: WireReader, type: 'uint32' | 'int32' | 'uint64'): WireFault | null {
  const start = reader.readBytes()
  if (start < 0) return 'malformed'
  const packed = new WireReader(reader.bytes, start, reader.position)
  while (packed.position < packed.end) {
    const fault = numberFault(packed, type)
    if (fault !== null) return fault
  }
  return null
}

function numberFault(reader: WireReader, type: 'uint32' | 'int32' | 'uint64'): WireFault | null {
  const length = reader.varintLength()
  if (length === 0) return 'malformed'
  const last = reader.bytes[reader.position + length - 1]!
  reader.position += length
  if (type === 'uint64') {
    // Seven bytes hold 49 bits; four more fit into the eighth before 2^53.
    return length < 8 || (length === 8 && last < 16) ? null : 'number too large'
  }
  // Negative enums take ten bytes. Between five and ten the generated decoder loses its position.
  return length <= 5 || length === 10 ? null : 'malformed'
}

function isNumeric(type: FieldType): type is 'uint32' | 'int32' | 'uint64' {
  return type === 'uint32' || type === 'int32' || type === 'uint64'
}
