import { isNumeric, WireReader } from './wire.js'
import type { FieldType, Schema, WireField } from './wire-schema.js'

/** Values by field number; repeated fields are lists. */
type Content = Map<number, Value | Value[]>
type Value = number | Buffer | Content

const WIRE_VARINT = 0
const WIRE_BYTES = 2

/**
 * Encodes what the network reads from an encoded message, as the network encodes it (docs/protocol.md §3.2): the
 * last member of a `oneof` and the last scalar, nested messages merged, numbers packed and minimal, fields in
 * order, unknown fields and default values left out.
 *
 * @param bytes Must be without a fault of `inspectWire`.
 */
export function canonicalEncoding(bytes: Buffer, schema: Schema): Buffer {
  const content: Content = new Map()
  readInto(content, new WireReader(bytes), schema)
  return encode(content, schema)
}

function readInto(content: Content, reader: WireReader, schema: Schema): void {
  while (reader.position < reader.end) {
    const tag = reader.readUint32()
    const field = schema.fields[tag >>> 3]
    if (field === undefined) reader.skip(tag & 7, tag >>> 3)
    else readField(content, reader, field, tag & 7)
  }
}

function readField(content: Content, reader: WireReader, field: WireField, wireType: number): void {
  const { type, number } = field
  for (const rival of field.rivals) content.delete(rival)
  if (isNumeric(type)) {
    if (wireType === WIRE_VARINT) put(content, field, readNumber(reader, type))
    else readPacked(content, reader, field)
    return
  }
  const start = reader.readBytes()
  if (type === 'bytes' || type === 'string') {
    put(content, field, reader.bytes.subarray(start, reader.position))
    return
  }
  const earlier = field.repeated ? undefined : content.get(number)
  const nested: Content = earlier instanceof Map ? earlier : new Map()
  readInto(nested, new WireReader(reader.bytes, start, reader.position), type)
  put(content, field, nested)
}

function readPacked(content: Content, reader: WireReader, field: WireField): void {
  const start = reader.readBytes()
  const packed = new WireReader(reader.bytes, start, reader.position)
  while (packed.position < packed.end) put(content, field, readNumber(packed, field.type))
}

function put(content: Content, { number, repeated }: WireField, value: Value): void {
  if (!repeated) {
    content.set(number, value)
    return
  }
  const list = content.get(number)
  if (Array.isArray(list)) list.push(value)
  else content.set(number, [value])
}

/** Reads a number; of 32-bit types the low 32 bits. */
function readNumber(reader: WireReader, type: FieldType): number {
  if (type !== 'uint64') {
    const value = reader.readInt32()!
    return type === 'uint32' ? value >>> 0 : value
  }
  const length = reader.varintLength()
  let value = 0
  for (let index = length - 1; index >= 0; index--) {
    value = value * 128 + (reader.bytes[reader.position + index]! & 0x7f)
  }
  reader.position += length
  return value
}

function encode(content: Content, schema: Schema): Buffer {
  const parts: Uint8Array[] = []
  for (const field of schema.canonicalOrder) {
    const value = content.get(field.number)
    if (value === undefined) continue
    if (!Array.isArray(value)) {
      if (field.optional || !isDefault(value)) parts.push(...encodeValue(field, value))
    } else if (isNumeric(field.type)) {
      const packed = Buffer.concat(value.map((each) => varint(each as number)))
      if (packed.length > 0) parts.push(varint(field.number * 8 + WIRE_BYTES), varint(packed.length), packed)
    } else {
      for (const each of value) parts.push(...encodeValue(field, each))
    }
  }
  return Buffer.concat(parts)
}

function isDefault(value: Value): boolean {
  return value === 0 || (Buffer.isBuffer(value) && value.length === 0)
}

function encodeValue({ number, type }: WireField, value: Value): Uint8Array[] {
  if (typeof value === 'number') return [varint(number * 8 + WIRE_VARINT), varint(value)]
  const bytes = Buffer.isBuffer(value) ? value : encode(value, type as Schema)
  return [varint(number * 8 + WIRE_BYTES), varint(bytes.length), bytes]
}

/** Encodes a number in its shortest form; a negative one in ten bytes, as 64 bits. */
function varint(value: number): Buffer {
  if (value < 0) return bigVarint(BigInt.asUintN(64, BigInt(value)))
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  bytes.push(rest)
  return Buffer.from(bytes)
}

function bigVarint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}
