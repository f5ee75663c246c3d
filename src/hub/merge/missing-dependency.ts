import type { Refusal } from '../../platform/errors.js'

/**
 * True for refusals that say that something is not here yet, or no more: a user, a key, storage, a name. The same item
 * may be merged a moment later.
 */
export function isMissingDependency(refusal: Refusal): boolean {
  return (
    refusal.code === 'bad_request.unknown_fid' ||
    refusal.code === 'bad_request.invalid_signer' ||
    refusal.code === 'bad_request.no_storage' ||
    refusal.code === 'bad_request.validation_failure'
  )
}
