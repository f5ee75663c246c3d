/**
 * The protobuf schema of `MessageData` (docs/protocol.md §3.1), as far as it takes to check a
 * message's wire form before the generated code decodes it: see `wire.ts`. Field numbers and types only.
 */
export type FieldType = 'uint32' | 'int32' | 'uint64' | 'bytes' | 'string' | Schema

/** What may stand under a field number. */
export interface Field {
  readonly type: FieldType
  readonly repeated: boolean
}

/** The fields of one message type, by their number. */
export type Schema = readonly (Field | undefined)[]

function single(type: FieldType): Field {
  return { type, repeated: false }
}

function repeatedField(type: FieldType): Field {
  return { type, repeated: true }
}

function schema(fields: Record<number, Field>): Schema {
  const byNumber: (Field | undefined)[] = []
  for (const [number, field] of Object.entries(fields)) byNumber[Number(number)] = field
  return byNumber
}

const castId = schema({ 1: single('uint64'), 2: single('bytes') })

const embed = schema({ 1: single('string'), 2: single(castId) })

const castAdd = schema({
  1: repeatedField('string'),
  2: repeatedField('uint64'),
  3: single(castId),
  4: single('string'),
  5: repeatedField('uint32'),
  6: repeatedField(embed),
  7: single('string'),
  8: single('int32'),
})

const castRemove = schema({ 1: single('bytes') })

const reaction = schema({ 1: single('int32'), 2: single(castId), 3: single('string') })

const verificationAdd = schema({
  1: single('bytes'),
  2: single('bytes'),
  3: single('bytes'),
  4: single('uint32'),
  5: single('uint32'),
  7: single('int32'),
})

const verificationRemove = schema({ 1: single('bytes'), 2: single('int32') })

const userData = schema({ 1: single('int32'), 2: single('string') })

const link = schema({ 1: single('string'), 2: single('uint32'), 3: single('uint64') })

const usernameProof = schema({
  1: single('uint64'),
  2: single('bytes'),
  3: single('bytes'),
  4: single('bytes'),
  5: single('uint64'),
  6: single('int32'),
})

const frameAction = schema({
  1: single('bytes'),
  2: single('uint32'),
  3: single(castId),
  4: single('bytes'),
  5: single('bytes'),
  6: single('bytes'),
  7: single('bytes'),
})

const linkCompactState = schema({ 1: single('string'), 2: repeatedField('uint64') })

const lendStorage = schema({ 1: single('uint64'), 2: single('uint64'), 3: single('int32') })

const keyAdd = schema({
  1: single('bytes'),
  2: single('uint32'),
  3: single('bytes'),
  4: single('uint32'),
  5: single('uint32'),
  6: single('bytes'),
  7: single('uint32'),
  8: single('bytes'),
  9: repeatedField('int32'),
  10: single('uint32'),
})

const keyRemove = schema({
  1: single('bytes'),
  2: single('bytes'),
  3: single('uint32'),
  4: single('uint32'),
  5: single('uint32'),
})

/** `MessageData`. The channel bodies (21…24) are left out: they pass as unknown fields (docs/protocol.md §3.1). */
export const messageDataSchema = schema({
  1: single('int32'),
  2: single('uint64'),
  3: single('uint32'),
  4: single('int32'),
  5: single(castAdd),
  6: single(castRemove),
  7: single(reaction),
  9: single(verificationAdd),
  10: single(verificationRemove),
  12: single(userData),
  14: single(link),
  15: single(usernameProof),
  16: single(frameAction),
  17: single(linkCompactState),
  18: single(lendStorage),
  19: single(keyAdd),
  20: single(keyRemove),
})
