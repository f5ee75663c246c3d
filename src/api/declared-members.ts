import { KindGuard, OptionalKind, type TObject, type TSchema, type TUnion } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import { UUID_PATTERN } from '../platform/text/uuid.js'
import { isRequired } from './parse-query.js'

/**
 * Brings a JSON value into the form that a schema declares, as far as the hosted service would:
 *
 * - members that the schema does not declare are dropped
 * - `null` for an optional member that cannot be null counts as absent
 * - `''` for an optional text, id or choice that cannot be empty counts as absent, except with `refusesEmpty` and where null
 *   is a value
 * - a whole number may be a string of digits
 * - a UUID is in lower case, as the database writes it
 * - absent members get their defaults; optional ones only in the outermost object
 *
 * With `strict` only the last two of these are done, and the check refuses the rest. What still differs from the schema is
 * returned as it is. The value itself is not changed.
 */
export type ReadDeclared = (value: unknown, strict: boolean) => unknown

const asItIs: ReadDeclared = (value) => value

/** Compiles the reader of a body. */
export function compileDeclared(schema: TObject): ReadDeclared {
  return objectReader(schema, true)
}

function readerOf(schema: TSchema): ReadDeclared {
  if (KindGuard.IsObject(schema)) return objectReader(schema, false)
  if (KindGuard.IsArray(schema)) {
    const readItem = readerOf(schema.items)
    return (value, strict) => (Array.isArray(value) ? value.map((item) => readItem(item, strict)) : value)
  }
  if (KindGuard.IsUnion(schema)) return unionReader(schema)
  if (KindGuard.IsInteger(schema)) return readInteger
  if (schema.pattern === UUID_PATTERN)
    return (value) => (typeof value === 'string' ? value.toLowerCase() : value)
  return asItIs
}

function objectReader(schema: TObject, isOutermost: boolean): ReadDeclared {
  const members = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    read: readerOf(property),
    isAbsent: absenceOf(property),
    default: isOutermost || property[OptionalKind] === undefined ? (property.default as unknown) : undefined,
  }))
  const { additionalProperties = false } = schema
  return (value, strict) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const given = value as Readonly<Record<string, unknown>>
    const read: Record<string, unknown> = additionalProperties !== false || strict ? { ...given } : {}
    for (const member of members) {
      const { name } = member
      const isGiven = Object.hasOwn(given, name) && (strict || !member.isAbsent(given[name]))
      if (isGiven) read[name] = member.read(given[name], strict)
      else if (member.default !== undefined) read[name] = member.default
      else delete read[name]
    }
    return read
  }
}

/** Returns whether a value of a member counts as absent. A required member has no such values. */
function absenceOf(property: TSchema): (value: unknown) => boolean {
  if (isRequired(property)) return () => false
  const dropsNull = !acceptsNull(property)
  const dropsEmpty = isText(property) && property.refusesEmpty !== true && !Value.Check(property, '')
  return (value) => (dropsNull && value === null) || (dropsEmpty && value === '')
}

/** Whether every value of a schema is a text. */
function isText(schema: TSchema): boolean {
  if (KindGuard.IsUnion(schema)) return schema.anyOf.every(isText)
  return KindGuard.IsString(schema) || (KindGuard.IsLiteral(schema) && typeof schema.const === 'string')
}

/**
 * The first alternative that the value satisfies once it is read by it. An alternative that allows no other members is not
 * satisfied by a value that also has one of another alternative: nothing that was sent may be dropped silently. A value
 * that satisfies none is read by the only kind of object, so that errors name what is wrong with its members.
 */
function unionReader(schema: TUnion): ReadDeclared {
  if (schema.anyOf.every((alternative) => KindGuard.IsLiteral(alternative))) return choiceReader(schema)
  const declared = [...new Set(schema.anyOf.flatMap(namesOf))]
  const alternatives = schema.anyOf.map((alternative) => ({
    read: readerOf(alternative),
    check: TypeCompiler.Compile(alternative),
    excluded:
      alternative.additionalProperties === false
        ? declared.filter((name) => !namesOf(alternative).includes(name))
        : [],
  }))
  const only = onlyObjectOf(schema)
  const readRefused = only === null ? asItIs : alternatives[only.index]!.read
  return (value, strict) => {
    for (const { read, check, excluded } of alternatives) {
      if (excluded.some((name) => hasMember(value, name))) continue
      const candidate = read(value, strict)
      if (check.Check(candidate)) return candidate
    }
    return readRefused(value, strict)
  }
}

/** The alternative of a union that is an object, and its position; null if there is none or several. */
export function onlyObjectOf({ anyOf }: TUnion): { readonly schema: TObject; readonly index: number } | null {
  const objects = anyOf.flatMap((schema, index) => (KindGuard.IsObject(schema) ? [{ schema, index }] : []))
  return objects.length === 1 ? objects[0]! : null
}

function namesOf(schema: TSchema): string[] {
  return KindGuard.IsObject(schema) ? Object.keys(schema.properties) : []
}

function hasMember(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
  const member = (value as Readonly<Record<string, unknown>>)[name]
  return member !== null && member !== ''
}

/** One of some literals, of which numbers may be strings of their digits. */
function choiceReader(schema: TUnion): ReadDeclared {
  const numbers = new Map<unknown, number>()
  for (const { const: choice } of schema.anyOf) {
    if (typeof choice === 'number') numbers.set(String(choice), choice)
  }
  if (numbers.size === 0) return asItIs
  return (value, strict) => (strict ? value : (numbers.get(value) ?? value))
}

const readInteger: ReadDeclared = (value, strict) => {
  if (strict || typeof value !== 'string' || !/^-?\d{1,16}$/.test(value)) return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function acceptsNull(schema: TSchema): boolean {
  if (KindGuard.IsUnion(schema)) return schema.anyOf.some(acceptsNull)
  return KindGuard.IsNull(schema) || KindGuard.IsUnknown(schema) || KindGuard.IsAny(schema)
}
