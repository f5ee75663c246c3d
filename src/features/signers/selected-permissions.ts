import { type SignerPermission, signerPermissions } from '../../graph/view/schema/signer.js'

/** Permissions that a user can select one by one. */
export const selectablePermissions = signerPermissions.filter(
  (permission) => !['WRITE_ALL', 'READ_ONLY', 'NONE'].includes(permission),
)

/**
 * Converts selected permissions to the stored form.
 *
 * All permissions are stored as null, so that permissions added later are included. None is stored as the
 * read permission, as the published names have it.
 */
export function storedPermissions(selected: readonly SignerPermission[]): SignerPermission[] | null {
  if (selectablePermissions.every((permission) => selected.includes(permission))) return null
  return selected.length === 0 ? ['READ_ONLY'] : [...new Set(selected)]
}
