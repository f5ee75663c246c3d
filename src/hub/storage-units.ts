import { StorageUnitType } from '@farcaster/core'

const yearSeconds = 365 * 24 * 60 * 60

/**
 * When the network changed the generation and the duration of units, in Unix seconds (docs/protocol.md §4.8).
 */
const cutoffs = { units2024: 1_724_889_600, units2025: 1_752_685_200, oneYearUnits: 1_782_147_600 } as const

/**
 * The generation and expiry of a storage unit, from the time of its rent (docs/protocol.md §4.8, with the
 * extension of engine version 18).
 *
 * @param rentedAt Unix seconds.
 */
export function storageUnitOf(rentedAt: number): { type: StorageUnitType; expiresAt: number } {
  if (rentedAt < cutoffs.units2024) {
    return { type: StorageUnitType.UNIT_TYPE_LEGACY, expiresAt: rentedAt + 4 * yearSeconds }
  }
  if (rentedAt < cutoffs.units2025) {
    return { type: StorageUnitType.UNIT_TYPE_2024, expiresAt: rentedAt + 3 * yearSeconds }
  }
  const years = rentedAt < cutoffs.oneYearUnits ? 2 : 1
  return { type: StorageUnitType.UNIT_TYPE_2025, expiresAt: rentedAt + years * yearSeconds }
}
