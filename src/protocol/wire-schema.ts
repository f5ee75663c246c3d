/** Field types of the wire form; a message kind declares its body in them (docs/protocol.md §3.1). */
export type FieldType = 'uint32' | 'int32' | 'uint64' | 'bytes' | 'string' | Schema

/** How a field is declared: its type, and whether it repeats or has a presence of its own. */
interface Declaration {
  readonly type: FieldType
  readonly repeated: boolean
  /** `optional` of proto3: the default value is encoded when it is set. */
  readonly optional: boolean
}

/** A field of a protobuf message. */
export interface WireField extends Declaration {
  readonly number: number
  /** The other members of its `oneof`: setting the field unsets them. */
  readonly rivals: readonly number[]
  /** The field as a bit, so that a set of fields is a number. Field numbers are at most 30. */
  readonly bit: number
  /**
   * Fields that may not stand before this one where the generated decoder is to read what the network reads: other
   * members of a `oneof`, and the field itself if it is a message, since two of them are merged.
   */
  readonly clash: number
}

/** The fields of a protobuf message. */
export interface Schema {
  /** By field number. */
  readonly fields: readonly (WireField | undefined)[]
  /** In the order of the canonical encoding: by number, a `oneof` at its lowest number (docs/protocol.md §3.2). */
  readonly canonicalOrder: readonly WireField[]
}

/** Declares a field that occurs at most once. */
export function single(type: FieldType): Declaration {
  return { type, repeated: false, optional: false }
}

/** Declares a field that occurs at most once and is encoded when set, even to its default. */
export function optional(type: FieldType): Declaration {
  return { type, repeated: false, optional: true }
}

/** Declares a repeated field. */
export function repeatedField(type: FieldType): Declaration {
  return { type, repeated: true, optional: false }
}

/** Declares the fields of a protobuf message by number, and its `oneof`s as lists of their numbers. */
export function schema(
  declarations: Record<number, Declaration>,
  oneofs: readonly (readonly number[])[] = [],
): Schema {
  const all = Object.entries(declarations).map(([name, declaration]): WireField => {
    const number = Number(name)
    const oneof = oneofs.find((members) => members.includes(number))
    const rivals = oneof?.filter((member) => member !== number) ?? []
    const isMessage = typeof declaration.type === 'object' && !declaration.repeated
    const clash = rivals.reduce((bits, rival) => bits | (1 << rival), isMessage ? 1 << number : 0)
    const isOptional = declaration.optional || oneof !== undefined
    return { ...declaration, optional: isOptional, number, rivals, bit: 1 << number, clash }
  })
  const fields: (WireField | undefined)[] = []
  for (const field of all) fields[field.number] = field
  const position = ({ number, rivals }: WireField) => Math.min(number, ...rivals)
  return { fields, canonicalOrder: all.sort((a, b) => position(a) - position(b)) }
}

/** Schema of `CastId`. */
export const castIdSchema = schema({ 1: single('uint64'), 2: single('bytes') })
