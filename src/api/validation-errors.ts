import { KindGuard, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import type { ValidationError } from '../platform/errors.js'
import { expectationOf } from './parse-query.js'

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
export function validationErrors(errors: Iterable<ValueError>, schema: TSchema): ValidationError[] {
  const errorsByPath = new Map<string, ValidationError>()
  for (const error of errors) {
    if (errorsByPath.size === MAX_VALIDATION_ERRORS) break
    if (!errorsByPath.has(error.path)) errorsByPath.set(error.path, validationErrorOf(error, schema))
  }
  return [...errorsByPath.values()]
}

function validationErrorOf(error: ValueError, schema: TSchema): ValidationError {
  const path = error.path.split('/').slice(1)
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

/** Finds the schema of a member. An error within a union is reported for the union. */
function describableSchema(error: ValueError, schema: TSchema): TSchema {
  if (error.type === ValueErrorType.ObjectRequiredProperty) return error.schema
  let found = schema
  for (const part of error.path.split('/').slice(1)) {
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
