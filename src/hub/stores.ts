import { StoreType } from '@farcaster/core'
import { MessageSet } from '../protocol/message-kind.js'
import type { StorageUsage } from './query/storage.js'
import { limitsOf } from './storage-limits.js'

/** A user's room in one set. */
export interface StoreUsage {
  readonly storeType: StoreType
  /** As the reference node has it, such as `CASTS`. */
  readonly name: string
  /** How many messages may stand in it. */
  readonly limit: number
  readonly used: number
}

/** The sets in the order of the reference node, which has no store type of its own for loans (docs/protocol.md §2.1). */
const stores = [
  { set: MessageSet.casts, storeType: StoreType.CASTS, name: 'CASTS' },
  { set: MessageSet.links, storeType: StoreType.LINKS, name: 'LINKS' },
  { set: MessageSet.reactions, storeType: StoreType.REACTIONS, name: 'REACTIONS' },
  { set: MessageSet.userData, storeType: StoreType.USER_DATA, name: 'USER_DATA' },
  { set: MessageSet.verifications, storeType: StoreType.VERIFICATIONS, name: 'VERIFICATIONS' },
  { set: MessageSet.usernameProofs, storeType: StoreType.USERNAME_PROOFS, name: 'USERNAME_PROOFS' },
  { set: MessageSet.lends, storeType: StoreType.NONE, name: 'STORAGE_LENDS' },
] as const

/** What a user may store and does store, set by set. */
export function storeUsages({ rented, usable, used }: StorageUsage): StoreUsage[] {
  const limits = limitsOf(usable)
  // Borrowed units cannot be lent on.
  const lendable = limitsOf(rented)[MessageSet.lends]
  return stores.map(({ set, storeType, name }) => ({
    storeType,
    name,
    limit: set === MessageSet.lends ? lendable : limits[set],
    used: used.get(set) ?? 0,
  }))
}
