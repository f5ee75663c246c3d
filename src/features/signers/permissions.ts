import type { SignerPermission } from '../../graph/view/schema/signer.js'

/** What an operation asks of a signer: one of its own permissions, or that it may write something at all. */
export type NeededPermission =
  | Exclude<SignerPermission, 'WRITE_ALL' | 'READ_ONLY' | 'NONE'>
  /** For what the list above has no name for: blocks, channel membership, marks in the inbox. */
  | 'any write'

const notWriting: ReadonlySet<SignerPermission> = new Set(['READ_ONLY', 'NONE'])

/** Whether what a signer was given covers what is needed. Null is everything. */
export function isPermitted(given: readonly SignerPermission[] | null, needed: NeededPermission): boolean {
  if (given === null || given.includes('WRITE_ALL')) return true
  return needed === 'any write'
    ? given.some((permission) => !notWriting.has(permission))
    : given.includes(needed)
}
