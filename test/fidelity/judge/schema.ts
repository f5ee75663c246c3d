import {
  END_GROUP,
  LENGTH_DELIMITED,
  START_GROUP,
  VARINT,
  varintBytes,
  WireError,
  type WireField,
  WireReader,
} from './wire.js'

export type Scalar = 'u64' | 'u32' | 'i32' | 'string' | 'bytes'

/** A field of a message type. Members of one `oneof` exclude each other. */
export interface FieldSpec {
  readonly name: string
  readonly type: Scalar | MessageSpec
  readonly label?: 'optional' | 'repeated'
  readonly oneof?: string
}

/** A message type: fields by their numbers. */
export interface MessageSpec {
  readonly fields: Readonly<Record<number, FieldSpec>>
}

type Single = bigint | number | string | Uint8Array | Decoded
type Value = Single | Single[] | undefined

/** A decoded message. Fields without a value of their own hold the default; absent members are undefined. */
export interface Decoded {
  [name: string]: Value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes bytes into a new message, or merges them into one that was there before. */
export function decode(spec: MessageSpec, bytes: Uint8Array, into: Decoded = createDefault(spec)): Decoded {
  const reader = new WireReader(bytes)
  while (!reader.isAtEnd) {
    const wire = reader.field()
    if (wire.wireType === END_GROUP) throw new WireError('a group ends that never began')
    const field = spec.fields[wire.number]
    if (field === undefined) continue
    if (wire.wireType === START_GROUP) throw new WireError('a group in place of a known field')
    setField(spec, field, wire, into)
  }
  return into
}

function createDefault(spec: MessageSpec): Decoded {
  const created: Decoded = {}
  for (const field of Object.values(spec.fields)) created[field.name] = defaultOf(field)
  return created
}

const zeros = { u64: 0n, u32: 0, i32: 0, string: '', bytes: new Uint8Array(0) }

function defaultOf({ type, label, oneof }: FieldSpec): Value {
  if (label === 'repeated') return []
  if (label === 'optional' || oneof !== undefined || typeof type === 'object') return undefined
  return zeros[type]
}

function setField(spec: MessageSpec, field: FieldSpec, wire: WireField, into: Decoded): void {
  const { name, type, label, oneof } = field
  if (label === 'repeated') {
    ;(into[name] as Single[]).push(...repeatedValues(type, wire))
    return
  }
  const before = into[name]
  if (oneof !== undefined) {
    for (const other of Object.values(spec.fields)) if (other.oneof === oneof) into[other.name] = undefined
  }
  into[name] = singleValue(type, wire, before as Decoded | undefined)
}

/** A list of numbers is packed or not; other lists have one element in each field. */
function repeatedValues(type: Scalar | MessageSpec, wire: WireField): Single[] {
  const isNumber = type === 'u64' || type === 'u32' || type === 'i32'
  if (!isNumber || wire.wireType !== LENGTH_DELIMITED) return [singleValue(type, wire, undefined)]
  const reader = new WireReader(wire.bytes)
  const values: Single[] = []
  while (!reader.isAtEnd) values.push(numberOf(type, reader.varint()))
  return values
}

function singleValue(type: Scalar | MessageSpec, wire: WireField, before: Decoded | undefined): Single {
  if (type === 'u64' || type === 'u32' || type === 'i32') {
    if (wire.wireType !== VARINT) throw new WireError('a number has another wire type')
    return numberOf(type, wire.number64)
  }
  if (wire.wireType !== LENGTH_DELIMITED) throw new WireError('bytes have another wire type')
  if (type === 'bytes') return wire.bytes
  if (type !== 'string') return decode(type, wire.bytes, before ?? createDefault(type))
  try {
    return utf8.decode(wire.bytes)
  } catch {
    throw new WireError('a string is not UTF-8')
  }
}

/** 32-bit types keep the low 32 bits of any varint. */
function numberOf(type: 'u64' | 'u32' | 'i32', value: bigint): bigint | number {
  if (type === 'u64') return value
  return type === 'u32' ? Number(BigInt.asUintN(32, value)) : Number(BigInt.asIntN(32, value))
}

/** Encodes in the canonical form: by number, a oneof at the place of its lowest, defaults left out. */
export function encode(spec: MessageSpec, message: Decoded): Buffer {
  return Buffer.concat(
    canonicalOrder(spec).flatMap((number) => encodeField(number, spec.fields[number]!, message)),
  )
}

const orders = new WeakMap<MessageSpec, number[]>()

function canonicalOrder(spec: MessageSpec): number[] {
  const known = orders.get(spec)
  if (known !== undefined) return known
  const fields = Object.entries(spec.fields).map(([number, field]) => ({ number: Number(number), field }))
  const placeOf = ({ number, field }: { number: number; field: FieldSpec }): number =>
    field.oneof === undefined
      ? number
      : Math.min(...fields.filter((other) => other.field.oneof === field.oneof).map((other) => other.number))
  fields.sort((a, b) => placeOf(a) - placeOf(b) || a.number - b.number)
  const order = fields.map(({ number }) => number)
  orders.set(spec, order)
  return order
}

function encodeField(number: number, field: FieldSpec, message: Decoded): Buffer[] {
  const value = message[field.name]
  if (value === undefined) return []
  if (Array.isArray(value)) return encodeList(number, field.type, value)
  const isPresent =
    field.label === 'optional' ||
    field.oneof !== undefined ||
    typeof field.type === 'object' ||
    !isZero(value)
  return isPresent ? [encodeSingle(number, field.type, value)] : []
}

function encodeList(number: number, type: Scalar | MessageSpec, values: Single[]): Buffer[] {
  if (values.length === 0) return []
  if (type !== 'u64' && type !== 'u32' && type !== 'i32')
    return values.map((value) => encodeSingle(number, type, value))
  const packed = values.flatMap((value) => varintBytes(BigInt(value as number | bigint)))
  return [delimited(number, Buffer.from(packed))]
}

function encodeSingle(number: number, type: Scalar | MessageSpec, value: Single): Buffer {
  if (type === 'u64' || type === 'u32' || type === 'i32')
    return Buffer.from([...tagOf(number, VARINT), ...varintBytes(BigInt(value as number | bigint))])
  if (type === 'string') return delimited(number, Buffer.from(value as string, 'utf8'))
  if (type === 'bytes') return delimited(number, value as Uint8Array)
  return delimited(number, encode(type, value as Decoded))
}

function delimited(number: number, bytes: Uint8Array): Buffer {
  const head = [...tagOf(number, LENGTH_DELIMITED), ...varintBytes(BigInt(bytes.length))]
  return Buffer.concat([Buffer.from(head), bytes])
}

function tagOf(number: number, wireType: number): number[] {
  return varintBytes(BigInt(number * 8 + wireType))
}

function isZero(value: Single): boolean {
  return value === 0 || value === 0n || value === '' || (value instanceof Uint8Array && value.length === 0)
}
