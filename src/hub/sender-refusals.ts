import { type Refusal, refuse } from '../platform/errors.js'

/** The refusal of a message whose fid is not registered. */
export const unknownFid = refuse('bad_request.validation_failure', 'unknown fid')

/** The refusal of a message whose key may not sign for the fid. */
export const invalidSigner = refuse('bad_request.validation_failure', 'invalid signer')

/** The refusal of a message whose sender has no active storage (docs/protocol.md §4.8). */
export const insufficientStorage = refuse('bad_request.validation_failure', 'insufficient storage')

/** Returns true for `invalidSigner`. Codes do not tell it from other broken rules: the text is part of the interface. */
export function isInvalidSigner({ code, message }: Refusal): boolean {
  return code === invalidSigner.code && message === invalidSigner.message
}

/** The refusal of a name whose proof names an owner that is neither the custody nor a verified address of the sender. */
export const nameNotOwned = refuse(
  'bad_request.validation_failure',
  'invalid ens proof, no matching custody address or verified addresses',
)

/** The refusal of a message whose claim was checked for a state that is no longer that of its sender. */
export const stateChanged = refuse(
  'unavailable',
  'the state that this message depends on has just changed: try again',
)

/** The refusal of a username that its sender does not hold. */
export const nameNotHeld = refuse('bad_request.validation_failure', 'fname is not registered for fid')
