import { KindGuard, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { PlazaError, type ValidationError } from '../platform/errors.js'
import { compileDeclared } from './declared-members.js'
import { validationErrors } from './validation-errors.js'

/** Reads a body. With `strict` it refuses undeclared members. */
export type ParseBody<Body extends TObject> = (
  raw?: unknown,
  options?: { readonly strict?: boolean },
) => Static<Body>

/**
 * Compiles the parser of a JSON body, which is as lenient as the hosted service: see `ReadDeclared`. A wrong
 * member is a 400 that names the first one, as `notification.title`, with the expected value, and lists the
 * others. An absent body is an empty object.
 */
export function compileBody<Body extends TObject>(schema: Body): ParseBody<Body> {
  const closedSchema = closeObjects(schema)
  const read = compileDeclared(closedSchema)
  const check = TypeCompiler.Compile(closedSchema)
  return (raw = {}, { strict = false } = {}) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      throw new PlazaError('bad_request.invalid_param', 'the body must be a JSON object')
    }
    const body = read(raw, strict)
    if (!check.Check(body)) throw toPlazaError(validationErrors(check.Errors(body), closedSchema))
    refuseUnstorable(body, [])
    return body
  }
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

function toPlazaError(validationErrors: readonly ValidationError[]): PlazaError {
  const [first] = validationErrors
  const property = first?.path.join('.') || 'body'
  return new PlazaError('bad_request.invalid_param', first?.message ?? 'the body is wrong', {
    property,
    validationErrors,
  })
}

/** Refuses what PostgreSQL cannot store, in values and in names of members: U+0000, and halves of surrogate pairs. */
function refuseUnstorable(value: unknown, path: readonly string[]): void {
  if (typeof value === 'string') {
    refuseUnstorableText(value, path)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      refuseUnstorableText(name, path)
      refuseUnstorable(member, [...path, name])
    }
  }
}

function refuseUnstorableText(text: string, path: readonly string[]): void {
  const problem = text.includes('\0')
    ? 'must not hold the character U+0000'
    : /\p{Surrogate}/u.test(text)
      ? 'must not hold half of a surrogate pair'
      : null
  if (problem === null) return
  const name = path.join('.')
  const message = `${name} ${problem}`
  const error = { code: 'invalid_string', expected: 'text', received: 'text', message, path }
  throw new PlazaError('bad_request.invalid_param', message, { property: name, validationErrors: [error] })
}
