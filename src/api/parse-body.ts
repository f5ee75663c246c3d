import { KindGuard, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import { PlazaError, type ValidationError } from '../platform/errors.js'
import { findJsonFault } from '../platform/text/json-bounds.js'
import { compileDeclared, onlyObjectOf } from './declared-members.js'
import { invalidMember } from './invalid-field.js'
import { expectationOf } from './parse-query.js'

/** Reads a body. With `strict` it refuses undeclared members. */
export type ParseBody<Body extends TObject> = (
  raw?: unknown,
  options?: { readonly strict?: boolean },
) => Static<Body>

/**
 * Compiles the parser of a JSON body, which is as lenient as the hosted service: see `ReadDeclared`. A wrong
 * member is a 400 that names the first one, as `notification.title`, with the expected value, and lists the
 * others. An absent body is an empty object. Nesting is bounded, and no text may hold what cannot be stored.
 */
export function compileBody<Body extends TObject>(schema: Body): ParseBody<Body> {
  // With the first body: compiling those of all operations would take a tenth of the time of a start.
  let compiled: ReturnType<typeof compile> | undefined
  return (raw = {}, { strict = false } = {}) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      throw new PlazaError('bad_request.invalid_param', 'the body must be a JSON object', {
        property: 'body',
      })
    }
    refuseFaults(raw)
    compiled ??= compile(schema)
    const { closedSchema, read, check } = compiled
    const body = read(raw, strict)
    if (!check.Check(body)) throw bodyError(validationErrors(check.Errors(body), closedSchema))
    return body
  }
}

function compile<Body extends TObject>(schema: Body) {
  const closedSchema = closeObjects(schema)
  return { closedSchema, read: compileDeclared(closedSchema), check: TypeCompiler.Compile(closedSchema) }
}

/** Refuses undeclared members of objects without `additionalProperties`. */
function closeObjects<Schema extends TSchema>(schema: Schema): Schema {
  if (KindGuard.IsArray(schema)) return { ...schema, items: closeObjects(schema.items) }
  if (KindGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(closeObjects) }
  if (!KindGuard.IsObject(schema)) return schema
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, closeObjects(property)]),
  )
  return { additionalProperties: false, ...schema, properties }
}

/** Builds the error for the wrong members of a body. It names the first. */
function bodyError(validationErrors: readonly ValidationError[]): PlazaError {
  const [first] = validationErrors
  const property = first?.path.join('.') || 'body'
  return new PlazaError('bad_request.invalid_param', first?.message ?? 'the body is wrong', {
    property,
    validationErrors,
  })
}

/** Parts of the path of a refused value that the error names, and characters of each. */
const MAX_NAMED_PARTS = 4
const MAX_PART_LENGTH = 64

/** Refuses what no body may hold, in any member, declared or not: `findJsonFault`. */
function refuseFaults(raw: object): void {
  const fault = findJsonFault(raw)
  if (fault === null) return
  const path = fault.path.slice(0, MAX_NAMED_PARTS).map((part) => part.slice(0, MAX_PART_LENGTH))
  throw invalidMember(path.join('.') === '' ? ['body'] : path, fault.problem)
}

/** Maximum number of reported members. */
const MAX_VALIDATION_ERRORS = 50

/** Names of errors in zod, which hosted clients know. All others are `invalid_type`. */
const zodCodes: Partial<Record<ValueErrorType, string>> = {
  [ValueErrorType.ObjectAdditionalProperties]: 'unrecognized_keys',
  [ValueErrorType.StringMinLength]: 'too_small',
  [ValueErrorType.StringMaxLength]: 'too_big',
  [ValueErrorType.StringPattern]: 'invalid_string',
  [ValueErrorType.ArrayMinItems]: 'too_small',
  [ValueErrorType.ArrayMaxItems]: 'too_big',
  [ValueErrorType.NumberMinimum]: 'too_small',
  [ValueErrorType.NumberExclusiveMinimum]: 'too_small',
  [ValueErrorType.NumberMaximum]: 'too_big',
  [ValueErrorType.IntegerMinimum]: 'too_small',
  [ValueErrorType.IntegerMaximum]: 'too_big',
  [ValueErrorType.Union]: 'invalid_union',
}

/**
 * Lists the wrong members of a body, each once.
 *
 * @param errors Of the check against `schema`, in order.
 */
function validationErrors(errors: Iterable<ValueError>, schema: TSchema): ValidationError[] {
  const errorsByPath = new Map<string, ValidationError>()
  for (const error of innerErrors(errors)) {
    if (errorsByPath.size === MAX_VALIDATION_ERRORS) break
    if (!errorsByPath.has(error.path)) errorsByPath.set(error.path, validationErrorOf(error, schema))
  }
  return [...errorsByPath.values()]
}

/** The errors; of a union with one kind of object, those within an object that was given. */
function* innerErrors(errors: Iterable<ValueError>): Iterable<ValueError> {
  for (const error of errors) {
    const isObject = typeof error.value === 'object' && error.value !== null && !Array.isArray(error.value)
    const only = isObject && KindGuard.IsUnion(error.schema) ? onlyObjectOf(error.schema) : null
    if (only === null) yield error
    else yield* innerErrors(error.errors[only.index]!)
  }
}

/** The members on the way to the wrong one, whose names a JSON pointer escapes (RFC 6901, 4). */
function pathOf({ path }: ValueError): string[] {
  return path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function validationErrorOf(error: ValueError, schema: TSchema): ValidationError {
  const path = pathOf(error)
  const name = path.join('.')
  const code = zodCodes[error.type] ?? 'invalid_type'
  const received = receivedText(error.value)
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return {
      code,
      expected: 'no such member',
      received,
      message: `${name} is not a member of this body`,
      path,
    }
  }
  const expected = expectationOf(describableSchema(error, schema))
  const isMissing = error.type === ValueErrorType.ObjectRequiredProperty
  const message = isMissing ? `${name} is required: ${expected}` : `${name || 'body'} must be ${expected}`
  return { code, expected, received, message, path }
}

/** Finds the schema of a member. An error within a union of several kinds of objects is reported for the union. */
function describableSchema(error: ValueError, schema: TSchema): TSchema {
  if (error.type === ValueErrorType.ObjectRequiredProperty) return error.schema
  let found = schema
  for (const part of pathOf(error)) {
    if (KindGuard.IsUnion(found)) found = onlyObjectOf(found)?.schema ?? found
    if (KindGuard.IsObject(found)) found = found.properties[part] ?? error.schema
    else if (KindGuard.IsArray(found)) found = found.items
    else return found
  }
  return found
}

function receivedText(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'string') return `a text of ${value.length} characters`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value
}
