import type { StorageUsage } from '../../query/storage.js'
import { storeUsages } from '../../stores.js'
import { storageUnitTypeNames, storeTypeNames, tierTypeNames } from './enum-names.js'

/** What a user may store and does store (docs/protocol.md §2.1). */
export function storageLimitsJson(use: StorageUsage) {
  const { usable, proUntil } = use
  const unitSizes = [usable.legacy, usable.y2024, usable.y2025]
  return {
    limits: storeUsages(use).map(({ storeType, name, limit, used }) => ({
      storeType: storeTypeNames[storeType],
      name,
      limit,
      used,
      // The reference node has stopped filling these two.
      earliestTimestamp: 0,
      earliestHash: [],
    })),
    units: unitSizes.reduce((sum, size) => sum + size, 0),
    unitDetails: unitSizes.map((unitSize, type) => ({ unitType: storageUnitTypeNames[type], unitSize })),
    tier_subscriptions: [{ tier_type: tierTypeNames[1], expires_at: proUntil }],
  }
}
