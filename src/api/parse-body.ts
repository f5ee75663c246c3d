import { KindGuard, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import { PlazaError } from '../errors.js'
import { invalidField } from './invalid-field.js'
import { expectationOf } from './parse-query.js'

/**
 * Makes the check of a request's JSON body from its schema. The first wrong member is a 400 that names it, as
 * `notification.title`, and says what would be right. A member that the schema does not declare is refused, too:
 * a misspelt `embed` must not become a cast without its picture. What has a default and is not given is filled in.
 * No body at all is an empty object.
 */
export function compileBody<Body extends TObject>(schema: Body): (raw: unknown) => Static<Body> {
  const closed = closeObjects(schema)
  const check = TypeCompiler.Compile(closed)
  return (raw = {}) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      throw new PlazaError('bad_request.invalid_param', 'the body must be a JSON object')
    }
    const body = withDefaults(schema, raw)
    const wrong = check.Errors(body).First()
    if (wrong) throw refusalOf(wrong, closed)
    refuseNul(body, '')
    return body as Static<Body>
  }
}

/** Objects that say nothing of further members allow none; `additionalProperties: true` lets anything in. */
function closeObjects<Schema extends TSchema>(schema: Schema): Schema {
  if (KindGuard.IsArray(schema)) return { ...schema, items: closeObjects(schema.items) }
  if (KindGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(closeObjects) }
  if (!KindGuard.IsObject(schema)) return schema
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, closeObjects(property)]),
  )
  return { additionalProperties: false, ...schema, properties }
}

function withDefaults(schema: TObject, given: object): object {
  const defaults = Object.entries(schema.properties).flatMap(([name, { default: value }]) =>
    value === undefined || name in given ? [] : [[name, value] as const],
  )
  return defaults.length === 0 ? given : { ...given, ...Object.fromEntries(defaults) }
}

function refusalOf(error: ValueError, schema: TSchema): PlazaError {
  const name = error.path.slice(1).replaceAll('/', '.')
  switch (error.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return invalidField(name, 'is not a member of this body')
    case ValueErrorType.ObjectRequiredProperty:
      return invalidField(name, `is required: ${expectationOf(error.schema)}`)
    default:
      return invalidField(name || 'body', `must be ${expectationOf(describable(error, schema))}`)
  }
}

/** The member's own schema. A fault inside of a choice is told of the choice. */
function describable(error: ValueError, schema: TSchema): TSchema {
  let found = schema
  for (const part of error.path.split('/').slice(1)) {
    if (KindGuard.IsObject(found)) found = found.properties[part] ?? error.schema
    else if (KindGuard.IsArray(found)) found = found.items
    else return found
  }
  return found
}

/** PostgreSQL has no text with this character. */
function refuseNul(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalidField(path, 'must not hold the character U+0000')
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) refuseNul(member, path ? `${path}.${name}` : name)
  }
}
