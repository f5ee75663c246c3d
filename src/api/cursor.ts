import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { invalidField } from './invalid-field.js'

/**
 * Cursors: where a page ended, as a text that means nothing to clients. It holds the sort key of the page's last
 * row, so that the next page begins behind it however the rows before it change, and the name of the order that
 * the key belongs to, so that the cursor of another operation is refused instead of misread.
 */
export interface CursorKind<Key> {
  /** `next.cursor` behind the row with this key. */
  encode(key: Key): string
  /** The key, or null without a cursor; a 400 that names `cursor` if this kind has not made it. */
  decode(cursor: string | undefined): Key | null
  /**
   * Splits rows into one page and its `next`.
   *
   * @param rows One more than `limit` when there is a next page.
   */
  page<Row>(
    rows: readonly Row[],
    limit: number,
    keyOf: (last: Row) => Key,
  ): { page: Row[]; next: { cursor: string | null } }
}

/** Parts of sort keys. What a forged cursor may hold is bounded to what SQL takes. */
export const keyPart = {
  /** An integer of a column of that kind: fids, times, counters. */
  integer: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  /** A float8, such as a rank. */
  number: Type.Number(),
  /** Bytes in hex, without 0x: `Buffer.from(part, 'hex')`. */
  hex: Type.String({ pattern: '^([0-9a-f]{2}){1,64}$' }),
  /** A short text, such as a channel's id. */
  text: Type.String({ maxLength: 256, pattern: '^[^\\u0000]*$' }),
} as const

/**
 * Makes the cursors of one order of rows.
 *
 * @param order Names it, such as `followers by time`; it is part of every cursor.
 * @param parts The columns of the sort key, in their order.
 */
export function cursorKind<const Parts extends readonly TSchema[]>(
  order: string,
  ...parts: Parts
): CursorKind<{ -readonly [Index in keyof Parts]: Static<Parts[Index]> }> {
  type Key = { -readonly [Index in keyof Parts]: Static<Parts[Index]> }
  const check = TypeCompiler.Compile(Type.Tuple([Type.Literal(order), ...parts]))

  function encode(key: Key): string {
    return Buffer.from(JSON.stringify([order, ...key])).toString('base64url')
  }

  function decode(cursor: string | undefined): Key | null {
    if (cursor === undefined) return null
    const [, ...key] = decodeText(cursor)
    return key as Key
  }

  function page<Row>(rows: readonly Row[], limit: number, keyOf: (last: Row) => Key) {
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return { page: shown, next: { cursor: last === undefined ? null : encode(keyOf(last)) } }
  }

  function decodeText(cursor: string): unknown[] {
    const found = parseJson(Buffer.from(cursor, 'base64url').toString())
    if (!check.Check(found)) throw invalidField('cursor', 'is not one that this list has given')
    return found
  }

  return { encode, decode, page }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
