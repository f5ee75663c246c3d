import type { Refusal } from '../../platform/errors.js'

/** Returns true if a refusal means that a fid, key, storage or name is missing. The item may merge later. */
export function isMissingDependency(refusal: Refusal): boolean {
  return (
    refusal.code === 'bad_request.unknown_fid' ||
    refusal.code === 'bad_request.invalid_signer' ||
    refusal.code === 'bad_request.no_storage' ||
    refusal.code === 'bad_request.validation_failure'
  )
}
