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

function one(type: FieldType): Field {
  return { type, repeated: false }
}

function many(type: FieldType): Field {
  return { type, repeated: true }
}

function schema(fields: Record<number, Field>): Schema {
  const byNumber: (Field | undefined)[] = []
  for (const [number, field] of Object.entries(fields)) byNumber[Number(number)] = field
  return byNumber
}

const castId = schema({ 1: one('uint64'), 2: one('bytes') })

const embed = schema({ 1: one('string'), 2: one(castId) })

const castAdd = schema({
  1: many('string'),
  2: many('uint64'),
  3: one(castId),
  4: one('string'),
  5: many('uint32'),
  6: many(embed),
  7: one('string'),
  8: one('int32'),
})

const castRemove = schema({ 1: one('bytes') })

const reaction = schema({ 1: one('int32'), 2: one(castId), 3: one('string') })

const verificationAdd = schema({
  1: one('bytes'),
  2: one('bytes'),
  3: one('bytes'),
  4: one('uint32'),
  5: one('uint32'),
  7: one('int32'),
})

const verificationRemove = schema({ 1: one('bytes'), 2: one('int32') })

const userData = schema({ 1: one('int32'), 2: one('string') })

const link = schema({ 1: one('string'), 2: one('uint32'), 3: one('uint64') })

const usernameProof = schema({
  1: one('uint64'),
  2: one('bytes'),
  3: one('bytes'),
  4: one('bytes'),
  5: one('uint64'),
  6: one('int32'),
})

const frameAction = schema({
  1: one('bytes'),
  2: one('uint32'),
  3: one(castId),
  4: one('bytes'),
  5: one('bytes'),
  6: one('bytes'),
  7: one('bytes'),
})

const linkCompactState = schema({ 1: one('string'), 2: many('uint64') })

const lendStorage = schema({ 1: one('uint64'), 2: one('uint64'), 3: one('int32') })

const keyAdd = schema({
  1: one('bytes'),
  2: one('uint32'),
  3: one('bytes'),
  4: one('uint32'),
  5: one('uint32'),
  6: one('bytes'),
  7: one('uint32'),
  8: one('bytes'),
  9: many('int32'),
  10: one('uint32'),
})

const keyRemove = schema({
  1: one('bytes'),
  2: one('bytes'),
  3: one('uint32'),
  4: one('uint32'),
  5: one('uint32'),
})

/** `MessageData`. The channel bodies (21…24) are left out: they pass as unknown fields (docs/protocol.md §3.1). */
export const messageDataSchema = schema({
  1: one('int32'),
  2: one('uint64'),
  3: one('uint32'),
  4: one('int32'),
  5: one(castAdd),
  6: one(castRemove),
  7: one(reaction),
  9: one(verificationAdd),
  10: one(verificationRemove),
  12: one(userData),
  14: one(link),
  15: one(usernameProof),
  16: one(frameAction),
  17: one(linkCompactState),
  18: one(lendStorage),
  19: one(keyAdd),
  20: one(keyRemove),
})
