import { PlazaError, type Refusal } from '../../platform/errors.js'

/** Converts the hub's refusal to an error with the invalid member. */
export function refusalError({ code, message }: Refusal, property?: string): PlazaError {
  return new PlazaError(code, message, property === undefined ? {} : { property })
}

/** Builds the error for a broken protocol rule, in the protocol's words. */
export function validationError(property: string, message: string): PlazaError {
  return new PlazaError('bad_request.validation_failure', message, { property })
}

/** Builds the error for an invalid member. `problem` follows the member's name. */
export function invalidParameterError(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}

/** Whether another message of the user won the conflict; a later retry may succeed. */
export function isSuperseded(refusal: Refusal | null): boolean {
  return refusal?.code === 'bad_request.conflict' || refusal?.code === 'bad_request.prunable'
}

/** Whether the identical message is stored already. */
export function isDuplicate(refusal: Refusal | null): boolean {
  return refusal?.code === 'bad_request.duplicate'
}
