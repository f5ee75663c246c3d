import { PlazaError, type ValidationError } from '../platform/errors.js'

/**
 * Creates a 400 that names the wrong parameter.
 *
 * @param problem Continues the sentence after the name: `must be a whole number from 1 to 100`.
 */
export function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}

/** Creates a 400 that names a member by its path, whose names may have dots in them, as types of events do. */
export function invalidMember(path: readonly string[], problem: string): PlazaError {
  const property = path.join('.')
  const message = `${property} ${problem}`
  const validationErrors = [customError(path, message)]
  return new PlazaError('bad_request.invalid_param', message, { property, validationErrors })
}

/** The error of a value that a rule beyond its schema refuses, in the form of the schema's errors. */
export function customError(path: readonly string[], message: string): ValidationError {
  return { code: 'custom', expected: 'a valid value', received: 'an invalid value', message, path }
}
