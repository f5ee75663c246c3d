/** Field types that `wireFault` checks; a message kind declares its body in them (docs/protocol.md §3.1). */
export type FieldType = 'uint32' | 'int32' | 'uint64' | 'bytes' | 'string' | Schema

/** A field of a protobuf message. */
export interface Field {
  readonly type: FieldType
  readonly repeated: boolean
}

/** The fields of a protobuf message, by number. */
export type Schema = readonly (Field | undefined)[]

/** Declares a field that occurs at most once. */
export function single(type: FieldType): Field {
  return { type, repeated: false }
}

/** Declares a repeated field. */
export function repeatedField(type: FieldType): Field {
  return { type, repeated: true }
}

/** Declares the fields of a protobuf message. */
export function schema(fields: Record<number, Field>): Schema {
  const byNumber: (Field | undefined)[] = []
  for (const [number, field] of Object.entries(fields)) byNumber[Number(number)] = field
  return byNumber
}

/** Schema of `CastId`. */
export const castIdSchema = schema({ 1: single('uint64'), 2: single('bytes') })
