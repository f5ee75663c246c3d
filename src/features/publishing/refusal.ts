import { PlazaError, type Refusal } from '../../platform/errors.js'

/** What the hub has refused, as the failure of the request, with the member of the body that is at fault. */
export function refusalError({ code, message }: Refusal, property?: string): PlazaError {
  return new PlazaError(code, message, property === undefined ? {} : { property })
}

/** A member breaks a rule of the protocol, in the protocol's words. */
export function validationError(property: string, message: string): PlazaError {
  return new PlazaError('bad_request.validation_failure', message, { property })
}

/** A member breaks a rule of ours. `problem` goes on after the member's name. */
export function invalidParameterError(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}

/** Another message of the same user has won what this one was about: it may be said again, at another time. */
export function isSuperseded(refusal: Refusal | null): boolean {
  return refusal?.code === 'bad_request.conflict' || refusal?.code === 'bad_request.prunable'
}

/** The very same message stands already. */
export function isDuplicate(refusal: Refusal | null): boolean {
  return refusal?.code === 'bad_request.duplicate'
}
