import { MessageSet } from '../../protocol/message-kind.js'
import type { StorageUse } from '../queries/storage.js'
import { limitsOf } from '../storage-limits.js'
import { storageUnitTypeNames, tierTypeNames } from './enum-names.js'

/** The sets in the order of the reference node, which has no store type of its own for loans. */
const stores = [
  { set: MessageSet.casts, storeType: 'Casts', name: 'CASTS' },
  { set: MessageSet.links, storeType: 'Links', name: 'LINKS' },
  { set: MessageSet.reactions, storeType: 'Reactions', name: 'REACTIONS' },
  { set: MessageSet.userData, storeType: 'UserData', name: 'USER_DATA' },
  { set: MessageSet.verifications, storeType: 'Verifications', name: 'VERIFICATIONS' },
  { set: MessageSet.usernameProofs, storeType: 'UsernameProofs', name: 'USERNAME_PROOFS' },
  { set: MessageSet.lends, storeType: 'None', name: 'STORAGE_LENDS' },
] as const

/** What a user may store and does store (hub.md §2.1). */
export function storageLimitsJson({ rented, usable, used, proUntil }: StorageUse) {
  const limits = limitsOf(usable)
  // Borrowed units cannot be lent on.
  const lendable = limitsOf(rented)[MessageSet.lends]
  const unitSizes = [usable.legacy, usable.y2024, usable.y2025]
  return {
    limits: stores.map(({ set, storeType, name }) => ({
      storeType,
      name,
      limit: set === MessageSet.lends ? lendable : limits[set],
      used: used.get(set) ?? 0,
      // The reference node has stopped filling these two.
      earliestTimestamp: 0,
      earliestHash: [],
    })),
    units: unitSizes.reduce((sum, size) => sum + size, 0),
    unitDetails: unitSizes.map((unitSize, type) => ({ unitType: storageUnitTypeNames[type], unitSize })),
    tier_subscriptions: [{ tier_type: tierTypeNames[1], expires_at: proUntil }],
  }
}
