/** Reads protobuf as the reference node's library does: one field at a time, varints as BigInt. */

/** Bytes that are no protobuf message. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** One field as it is on the wire. */
export interface WireField {
  readonly number: number
  readonly wireType: number
  /** A varint or a fixed number; 0 for bytes and groups. */
  readonly number64: bigint
  /** The content of a length-delimited field. */
  readonly bytes: Uint8Array
}

const U64 = (1n << 64n) - 1n
const MAX_GROUP_DEPTH = 100
const EMPTY = new Uint8Array(0)

export const VARINT = 0
const FIXED64 = 1
export const LENGTH_DELIMITED = 2
export const START_GROUP = 3
export const END_GROUP = 4
const FIXED32 = 5

/** A position in bytes. */
export class WireReader {
  position = 0

  constructor(readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.position >= this.bytes.length
  }

  /** Reads at most ten bytes; the tenth holds one bit. */
  varint(): bigint {
    let value = 0n
    for (let index = 0; index < 10; index++) {
      const byte = this.bytes[this.position++]
      if (byte === undefined) throw new WireError('a varint ends early')
      if (index === 9 && byte > 1) throw new WireError('a varint is longer than 64 bits')
      value |= BigInt(byte & 0x7f) << BigInt(7 * index)
      if (byte < 0x80) return value & U64
    }
    throw new WireError('a varint has more than ten bytes')
  }

  /** Reads bytes. Throws WireError if there are fewer. */
  take(length: bigint): Uint8Array {
    if (length > BigInt(this.bytes.length - this.position)) throw new WireError('a length is past the end')
    const start = this.position
    this.position += Number(length)
    return this.bytes.subarray(start, this.position)
  }

  /** Reads the next field; unknown groups are skipped as one field. */
  field(depth = 0): WireField {
    const tag = this.varint()
    if (tag > 0xffffffffn) throw new WireError('a tag is larger than 32 bits')
    const number = Number(tag >> 3n)
    const wireType = Number(tag & 7n)
    if (number === 0) throw new WireError('field number 0')
    switch (wireType) {
      case VARINT:
        return { number, wireType, number64: this.varint(), bytes: EMPTY }
      case FIXED64:
        return { number, wireType, number64: littleEndian(this.take(8n)), bytes: EMPTY }
      case LENGTH_DELIMITED:
        return { number, wireType, number64: 0n, bytes: this.take(this.varint()) }
      case START_GROUP:
        this.skipGroup(number, depth + 1)
        return { number, wireType, number64: 0n, bytes: EMPTY }
      case END_GROUP:
        return { number, wireType, number64: 0n, bytes: EMPTY }
      case FIXED32:
        return { number, wireType, number64: littleEndian(this.take(4n)), bytes: EMPTY }
      default:
        throw new WireError('an unknown wire type')
    }
  }

  private skipGroup(number: number, depth: number): void {
    if (depth > MAX_GROUP_DEPTH) throw new WireError('groups are nested too deep')
    for (;;) {
      const field = this.field(depth)
      if (field.wireType !== END_GROUP) continue
      if (field.number !== number) throw new WireError('a group ends with another number')
      return
    }
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
}

/** The shortest form of a varint. */
export function varintBytes(value: bigint): number[] {
  const bytes: number[] = []
  let rest = value & U64
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return bytes
}
