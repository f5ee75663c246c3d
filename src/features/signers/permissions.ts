import type { SignerPermission } from '../../graph/view/schema/signer.js'

/** What an operation asks of a signer: one of its own permissions, or that it may write something at all. */
export type RequiredPermission =
  | Exclude<SignerPermission, 'WRITE_ALL' | 'READ_ONLY' | 'NONE'>
  /** For what the list above has no name for: blocks, channel membership, marks in the inbox. */
  | 'any write'

const readOnlyPermissions: ReadonlySet<SignerPermission> = new Set(['READ_ONLY', 'NONE'])

/** Whether what a signer was given covers what is needed. Null is everything. */
export function isPermitted(
  granted: readonly SignerPermission[] | null,
  required: RequiredPermission,
): boolean {
  if (granted === null || granted.includes('WRITE_ALL')) return true
  return required === 'any write'
    ? granted.some((permission) => !readOnlyPermissions.has(permission))
    : granted.includes(required)
}
