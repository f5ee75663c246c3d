import {
  KindGuard,
  OptionalKind,
  type Static,
  type TArray,
  type TObject,
  type TProperties,
  type TSchema,
} from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { UUID_PATTERN } from '../platform/text/uuid.js'
import { invalidField } from './invalid-field.js'

/** Parameters by name as they are in the URL, each with its value, or its values if it is repeated. */
export type RawQuery = Readonly<Record<string, unknown>>

/** Parses the raw value of one parameter. */
type Parser = (input: unknown) => unknown

/**
 * Compiles the parser of a query. Accepted values:
 *
 * - whole numbers and numbers; `true`, `false`, `1`, `0`, in any case; strings; one of some strings
 * - lists: comma-separated, with or without spaces, or the parameter repeated; duplicates count once, unless
 *   `uniqueItems` is false
 * - UUIDs in either case; the value is in lower case, as the database writes them: ids are keys and names of channels
 * - an empty value counts as absent, unless it is the text of a schema whose `minLength` is 0, and `undefined` does for an optional boolean or whole number
 * - undeclared parameters are ignored, because published clients send some
 *
 * The first wrong value is a 400 that names the parameter and the expected value.
 */
export function compileQuery<Query extends TObject>(schema: Query): (raw: unknown) => Static<Query> {
  let parsers: readonly (readonly [string, ReturnType<typeof parserOf>])[] | undefined
  return (raw) => {
    // With the first query, as bodies are.
    parsers ??= Object.entries(schema.properties).map(
      ([name, property]) => [name, parserOf(name, property)] as const,
    )
    const input = (raw ?? {}) as RawQuery
    const parsed: Record<string, unknown> = {}
    for (const [name, parse] of parsers) {
      const value = parse(input[name])
      if (value !== undefined) parsed[name] = value
    }
    // Each property has been checked against its schema.
    return parsed as Static<Query>
  }
}

/** The name of a list with brackets, in which an index may stand. */
const bracketedName = /^(.+)\[(\d{0,3})\]$/

/**
 * Compiles the reader of names of lists: axios writes `fids[]=1&fids[]=2`, and PHP and qs `fids[0]=1&fids[1]=2`. These
 * values, by their indexes, join those of `fids`. Other parameters stay as they are.
 */
export function compileListNames(properties: TProperties): (query: RawQuery) => RawQuery {
  const names = new Set(Object.keys(properties).filter((name) => KindGuard.IsArray(properties[name]!)))
  if (names.size === 0) return (query) => query
  return (query) => {
    const bracketed = Object.keys(query).flatMap((key) => {
      const [, name = '', index] = bracketedName.exec(key) ?? []
      return names.has(name) ? [{ key, name, index: Number(index) }] : []
    })
    if (bracketed.length === 0) return query
    const lists: Record<string, unknown[]> = {}
    for (const { key, name } of bracketed.sort((a, b) => a.index - b.index)) {
      lists[name] ??= [query[name] ?? []].flat()
      lists[name].push(...[query[key]].flat())
    }
    return { ...query, ...lists }
  }
}

/** Whether a request must have the parameter or member. */
export function isRequired(schema: TSchema): boolean {
  return schema[OptionalKind] === undefined && schema.default === undefined
}

/** Describes the expected value, for error messages. */
export function expectationOf(schema: TSchema): string {
  if (KindGuard.IsArray(schema)) return listExpectation(schema)
  if (KindGuard.IsObject(schema) || KindGuard.IsRecord(schema)) return 'an object'
  if (KindGuard.IsNull(schema)) return 'null'
  if (KindGuard.IsLiteral(schema)) return JSON.stringify(schema.const)
  const texts = textsOf(schema)
  if (texts) return `one of ${texts.join(', ')}`
  if (schema.type === 'boolean') return 'true or false'
  if (schema.type === 'integer' || schema.type === 'number') {
    return `${schema.type === 'integer' ? 'a whole number' : 'a number'}${rangeOf(schema)}`
  }
  if (typeof schema.patternText === 'string') return schema.patternText
  if (KindGuard.IsUnion(schema)) return schema.anyOf.map(expectationOf).join(', or ')
  if (schema.maxLength === undefined) return 'a text'
  return `a text of ${schema.minLength ?? 1} to ${schema.maxLength} characters`
}

/** The strings of a union of string literals; null for any other schema. */
export function textsOf(schema: TSchema): string[] | null {
  if (!KindGuard.IsUnion(schema)) return null
  const texts = schema.anyOf.map((each) => (KindGuard.IsLiteral(each) ? each.const : null))
  return texts.every((text) => typeof text === 'string') ? texts : null
}

function parserOf(name: string, schema: TSchema): Parser {
  const parse = KindGuard.IsArray(schema) ? listParser(name, schema) : singleParser(name, schema)
  return (input) => {
    const value = parse(input)
    if (value !== undefined) return value
    if (isRequired(schema)) throw invalidField(name, `is required: ${expectationOf(schema)}`)
    return schema.default
  }
}

function singleParser(name: string, schema: TSchema): Parser {
  const check = TypeCompiler.Compile(schema)
  // Published components write members that are not set into the URL: `limit=undefined`.
  const mayBeUnset = !isRequired(schema) && (schema.type === 'boolean' || schema.type === 'integer')
  const isAbsent = (input: unknown) =>
    input === undefined || (input === '' && schema.minLength !== 0) || (mayBeUnset && input === 'undefined')
  return (input) => {
    if (isAbsent(input)) return undefined
    if (Array.isArray(input)) throw invalidField(name, 'is given more than once')
    return checkedParser(name, schema, check, String(input))
  }
}

function listParser(name: string, schema: TArray): Parser {
  const checkItem = TypeCompiler.Compile(schema.items)
  const checkList = TypeCompiler.Compile(schema)
  return (input) => {
    const texts = (Array.isArray(input) ? input.map(String) : [String(input ?? '')])
      .flatMap((text) => text.split(','))
      .map((text) => text.trim())
      .filter((text) => text !== '')
    if (texts.length === 0) return undefined
    const parsed = texts.map((text) => checkedParser(name, schema.items, checkItem, text, schema))
    const values = schema.uniqueItems === false ? parsed : [...new Set(parsed)]
    if (!checkList.Check(values)) throw invalidField(name, `must be ${expectationOf(schema)}`)
    return values
  }
}

function checkedParser(
  name: string,
  schema: TSchema,
  check: TypeCheck<TSchema>,
  text: string,
  reportedSchema: TSchema = schema,
): unknown {
  const value = read(schema, text)
  if (!check.Check(value)) throw invalidField(name, `must be ${expectationOf(reportedSchema)}`)
  // PostgreSQL text cannot hold this character.
  if (typeof value === 'string' && value.includes('\0')) {
    throw invalidField(name, 'must not hold the character U+0000')
  }
  return value
}

const flags = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/**
 * Converts a string to the type of the schema; a string that does not convert is returned and fails the
 * check.
 */
function read(schema: TSchema, text: string): unknown {
  if (schema.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  if (schema.type === 'number') return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return flags.get(text.toLowerCase()) ?? text
  return schema.pattern === UUID_PATTERN ? text.toLowerCase() : text
}

function listExpectation(schema: TArray): string {
  const { minItems = 1, maxItems } = schema
  if (maxItems === 0) return 'an empty list'
  const items = expectationOf(schema.items)
  if (minItems === maxItems) return `a list of exactly ${minItems}, each ${items}`
  return `a list of ${minItems} to ${maxItems}, each ${items}`
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: TSchema): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}
