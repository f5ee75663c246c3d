import { PlazaError } from '../platform/errors.js'

/**
 * Creates a 400 that names the wrong parameter.
 *
 * @param problem Continues the sentence after the name: `must be a whole number from 1 to 100`.
 */
export function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
