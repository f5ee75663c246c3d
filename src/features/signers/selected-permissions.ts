import { type SignerPermission, signerPermissions } from '../../graph/view/schema/signer.js'

/** What a user may allow one by one. */
export const selectablePermissions = signerPermissions.filter(
  (permission) => !['WRITE_ALL', 'READ_ONLY', 'NONE'].includes(permission),
)

/**
 * What is stored of a choice: everything is null, so that it stays everything when there is more to choose from one
 * day; nothing is the permission to read, as the published names have it.
 */
export function storedPermissions(selected: readonly SignerPermission[]): SignerPermission[] | null {
  if (selectablePermissions.every((permission) => selected.includes(permission))) return null
  return selected.length === 0 ? ['READ_ONLY'] : [...new Set(selected)]
}
