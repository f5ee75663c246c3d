import { PlazaError } from '../platform/errors.js'

/**
 * A 400 that names the parameter at fault.
 *
 * @param problem Goes on after the name: `must be a whole number from 1 to 100`.
 */
export function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
