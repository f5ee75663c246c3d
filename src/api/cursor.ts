import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { tryParseJson } from '../platform/text/try-parse-json.js'
import { LOWERCASE_UUID_PATTERN } from '../platform/text/uuid.js'
import { invalidField } from './invalid-field.js'

/** Parts of sort keys, with bounds that keep forged cursors within SQL types. */
export const keyPart = {
  /** A value of an int8 column: a fid, a time or a counter. */
  integer: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  /** A value of an int4 column: most ids that the database gives. */
  int4: Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }),
  /** A value of an int2 column: the type of a reaction. */
  int2: Type.Integer({ minimum: -(2 ** 15), maximum: 2 ** 15 - 1 }),
  /** A float8, for example a rank. */
  number: Type.Number(),
  /** Bytes in hex, without 0x: `Buffer.from(part, 'hex')`. */
  hex: Type.String({ pattern: '^([0-9a-f]{2}){1,64}$' }),
  /** A UUID in lower case. */
  uuid: Type.String({ pattern: LOWERCASE_UUID_PATTERN }),
  /** A short string, for example the id of a channel. */
  text: Type.String({ maxLength: 256, pattern: '^[^\\u0000]*$' }),
  /** A position of each shard of the log: 64 shards, of at most 20 characters each. */
  positions: Type.String({ maxLength: 1_280, pattern: '^[^\\u0000]*$' }),
} as const

/** Whether a cursor is the text that clients make of the null after a last page: `cursor=null`. No list gives it out. */
export function isPastLastPage(cursor: string | undefined): boolean {
  return cursor === 'null'
}

/**
 * Encodes and decodes the opaque cursors of one order of rows. A cursor holds the sort key of the last row of a page, so
 * that changes of earlier rows do not shift the next page, and the name of its order, so that a cursor of another
 * operation is refused.
 *
 * @param order Name of the order, such as `followers by time`; part of every cursor.
 * @param parts Types of the columns of the sort key, in order.
 */
export function cursorKind<const Parts extends readonly TSchema[]>(order: string, ...parts: Parts) {
  type Key = { -readonly [Index in keyof Parts]: Static<Parts[Index]> }
  const check = TypeCompiler.Compile(Type.Tuple([Type.Literal(order), ...parts]))

  /** Returns `next.cursor` for the row with this key. */
  function encode(key: Key): string {
    return Buffer.from(JSON.stringify([order, ...key])).toString('base64url')
  }

  /** Returns the key, or null without a cursor. A 400 for a cursor of another kind. */
  function decode(cursor: string | undefined): Key | null {
    if (cursor === undefined) return null
    const found = tryParseJson(Buffer.from(cursor, 'base64url').toString())
    if (!check.Check(found)) throw invalidField('cursor', 'is not a cursor of this list')
    const [, ...key] = found
    return key as Key
  }

  /** Splits rows, one more than `limit` when there is a next page, into one page and its `next`. */
  function page<Row>(rows: readonly Row[], limit: number, keyOf: (last: Row) => Key) {
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return { page: shown, next: { cursor: last === undefined ? null : encode(keyOf(last)) } }
  }

  return { encode, decode, page }
}
