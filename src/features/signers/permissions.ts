import type { SignerPermission } from '../../graph/view/schema/signer.js'

/** A permission that an operation requires, or `any write`. */
export type RequiredPermission =
  | Exclude<SignerPermission, 'WRITE_ALL' | 'READ_ONLY' | 'NONE'>
  /** For writes without a permission of their own: blocks, channel membership, seen marks. */
  | 'any write'

const readOnlyPermissions: ReadonlySet<SignerPermission> = new Set(['READ_ONLY', 'NONE'])

/** Whether granted permissions cover the required one. Null grants everything. */
export function isPermitted(
  granted: readonly SignerPermission[] | null,
  required: RequiredPermission,
): boolean {
  if (granted === null || granted.includes('WRITE_ALL')) return true
  return required === 'any write'
    ? granted.some((permission) => !readOnlyPermissions.has(permission))
    : granted.includes(required)
}
