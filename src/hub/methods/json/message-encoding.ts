import { WireReader } from '../../../protocol/wire.js'

const CAST_ADD_FIELD = 5
/** `mentions` and `mentionsPositions` of a cast (docs/protocol.md §3.1). */
const packedFields: ReadonlySet<number> = new Set([2, 5])
const WIRE_BYTES = 2

/**
 * The same data as encoders write it that leave out lists of numbers without any number. JavaScript's write them, Rust's
 * do not (docs/protocol.md §3.2), and the hash is over what was written.
 *
 * @param data A well-formed, encoded MessageData.
 */
export function withoutEmptyLists(data: Buffer): Buffer {
  return Buffer.concat(
    fieldsOf(data).map(({ number, whole, content }) => {
      if (number !== CAST_ADD_FIELD || content === null) return whole
      const kept = fieldsOf(content).filter((field) => !isEmptyList(field))
      const body = Buffer.concat(kept.map((field) => field.whole))
      return Buffer.concat([tagOf(CAST_ADD_FIELD), varint(body.length), body])
    }),
  )
}

interface WireField {
  readonly number: number
  /** With tag and length. */
  readonly whole: Buffer
  /** Null where the field is no bytes. */
  readonly content: Buffer | null
}

function fieldsOf(bytes: Buffer): WireField[] {
  const reader = new WireReader(bytes)
  const fields: WireField[] = []
  while (reader.position < bytes.length) {
    const from = reader.position
    const tag = reader.readUint32()
    const wireType = tag & 7
    const start = wireType === WIRE_BYTES ? reader.readBytes() : -1
    if (wireType !== WIRE_BYTES) reader.skip(wireType)
    fields.push({
      number: tag >>> 3,
      whole: bytes.subarray(from, reader.position),
      content: start < 0 ? null : bytes.subarray(start, reader.position),
    })
  }
  return fields
}

function isEmptyList({ number, content }: WireField): boolean {
  return packedFields.has(number) && content?.length === 0
}

function tagOf(number: number): Buffer {
  return varint(number * 8 + WIRE_BYTES)
}

function varint(value: number): Buffer {
  const bytes = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
