import type { PostgresType } from '#postgres'

/**
 * Conversions between PostgreSQL and JavaScript values. Array types are declared here, since reading them from
 * `pg_type` (`fetch_types`) costs a round trip per connection, and the driver's parser returns 'NULL' for null.
 */

const oid = {
  bool: 16,
  bytea: 17,
  int8: 20,
  text: 25,
  date: 1082,
  bools: 1000,
  byteas: 1001,
  int2s: 1005,
  int4s: 1007,
  texts: 1009,
  varchars: 1015,
  int8s: 1016,
} as const

/** Arguments of `db.types.<name>(value)`. `null` is SQL's null. */
export type ColumnTypes = {
  int8: number | bigint
  bytea: Uint8Array
  /** `YYYY-MM-DD`: a calendar day has no time zone, unlike a `Date`. */
  date: string
  bools: readonly (boolean | null)[]
  byteas: readonly (Uint8Array | null)[]
  int2s: readonly (number | null)[]
  int4s: readonly (number | null)[]
  int8s: readonly (number | bigint | null)[]
  texts: readonly (string | null)[]
}

/** Parses an int8 as a number. Throws beyond 2^53, where numbers are not exact. */
function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} does not fit a JavaScript number`)
  return value
}

function formatInteger(value: number | bigint): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is not an exact integer`)
  }
  return String(value)
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Formats `{a,NULL}` for elements that need no quotes. */
function formatArray<T>(format: (value: T) => string): (values: readonly (T | null)[]) => string {
  return (values) => `{${values.map((value) => (value === null ? 'NULL' : format(value))).join(',')}}`
}

/** Reverses `formatArray`: elements contain no comma, brace or quote. */
function parseArray<T>(parse: (text: string) => T): (text: string) => (T | null)[] {
  return (text) => {
    if (text === '{}') return []
    return text
      .slice(1, -1)
      .split(',')
      .map((element) => (element === 'NULL' ? null : parse(element)))
  }
}

function formatTextElement(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** A quoted element with escapes, or an unquoted one up to the comma. */
const textElement = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs

function parseTexts(text: string): (string | null)[] {
  if (!text.includes('"')) return parseBareTexts(text)
  return Array.from(text.matchAll(textElement), ([, quoted, unquoted]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return unquoted === 'NULL' || unquoted === undefined ? null : unquoted
  })
}

/** Parses text arrays, whose elements PostgreSQL quotes if necessary. */
const parseBareTexts = parseArray((text) => text)

const identity = (text: string): string => text
const integers = { serialize: formatArray(formatInteger), parse: parseArray(parseInteger) }

/** The driver's `types` option: `to` is the parameter's type, `from` the columns that are read by `parse`. */
export const columnTypes: { [Name in keyof ColumnTypes]: PostgresType<ColumnTypes[Name]> } = {
  int8: { to: oid.int8, from: [oid.int8], serialize: formatInteger, parse: parseInteger },
  bytea: {
    to: oid.bytea,
    from: [oid.bytea],
    serialize: (bytes) => `\\x${toBuffer(bytes).toString('hex')}`,
    parse: (text: string) => Buffer.from(text.slice(2), 'hex'),
  },
  date: { to: oid.date, from: [oid.date], serialize: identity, parse: identity },
  bools: {
    to: oid.bools,
    from: [oid.bools],
    serialize: formatArray((value: boolean) => (value ? 't' : 'f')),
    parse: parseArray((text) => text === 't'),
  },
  byteas: {
    to: oid.byteas,
    from: [oid.byteas],
    // In a quoted array element the backslash of `\x` is doubled.
    serialize: formatArray((bytes: Uint8Array) => `"\\\\x${toBuffer(bytes).toString('hex')}"`),
    parse: parseArray((text) => Buffer.from(text.slice(4, -1), 'hex')),
  },
  int2s: { to: oid.int2s, from: [oid.int2s], ...integers },
  int4s: { to: oid.int4s, from: [oid.int4s], ...integers },
  int8s: { to: oid.int8s, from: [oid.int8s], ...integers },
  texts: {
    to: oid.texts,
    from: [oid.texts, oid.varchars],
    serialize: formatArray(formatTextElement),
    parse: parseTexts,
  },
}
