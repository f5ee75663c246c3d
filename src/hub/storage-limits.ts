import { DAY_SECONDS } from '../platform/durations.js'
import { FarcasterNetwork, StorageUnitType } from '../protocol/definitions.js'
import { MessageSet } from '../protocol/message-kind.js'

/** Units of a fid, by the generation they were rented in (docs/protocol.md §4.8). */
export interface StorageUnits {
  readonly legacy: number
  readonly y2024: number
  readonly y2025: number
}

/** A generation of storage units. */
export type StorageGeneration = keyof StorageUnits

/** How many messages each set may hold. */
export type StorageLimits = Readonly<Record<MessageSet, number>>

/**
 * Messages that one unit pays for, by set and generation: the only table of prune limits (docs/protocol.md §4.8).
 * The network lowered what a unit buys; a unit keeps the terms under which it was rented.
 */
const messagesPerUnit: Readonly<Record<MessageSet, StorageUnits>> = {
  [MessageSet.casts]: { legacy: 5000, y2024: 2000, y2025: 100 },
  [MessageSet.reactions]: { legacy: 2500, y2024: 1000, y2025: 200 },
  [MessageSet.links]: { legacy: 2500, y2024: 1000, y2025: 200 },
  [MessageSet.verifications]: { legacy: 25, y2024: 25, y2025: 5 },
  [MessageSet.userData]: { legacy: 50, y2024: 50, y2025: 25 },
  [MessageSet.usernameProofs]: { legacy: 5, y2024: 5, y2025: 2 },
  // Shown, and a lender needs a unit. Never pruned.
  [MessageSet.lends]: { legacy: 1, y2024: 1, y2025: 1 },
  // Storage does not limit keys: each fid has a maximum of its own (docs/protocol.md §3.3.12). Never pruned.
  [MessageSet.keys]: { legacy: Infinity, y2024: Infinity, y2025: Infinity },
  // Messages of channels need a unit and use up none: each channel has maxima of its own (docs/protocol.md §7.1.4).
  [MessageSet.channels]: { legacy: 1, y2024: 1, y2025: 1 },
}

const YEAR_SECONDS = 365 * DAY_SECONDS

/** Terms of the units that are rented before a moment, in Unix seconds. */
interface RentTerms {
  readonly rentedBefore: number
  readonly generation: StorageGeneration
  readonly years: number
}

/** Generation and validity of a unit, by the moment of its rent (docs/protocol.md §4.8). */
const mainnetTerms = rentTerms({ until2024: 1_752_685_200, until2025: 1_782_147_600 })

/** Other networks have had the engine versions that changed the terms a few days earlier. */
const testTerms = rentTerms({ until2024: 1_752_426_000, until2025: 1_781_283_600 })

function rentTerms(ends: { until2024: number; until2025: number }): readonly RentTerms[] {
  return [
    { rentedBefore: 1_724_889_600, generation: 'legacy', years: 4 },
    { rentedBefore: ends.until2024, generation: 'y2024', years: 3 },
    { rentedBefore: ends.until2025, generation: 'y2025', years: 2 },
    { rentedBefore: Infinity, generation: 'y2025', years: 1 },
  ]
}

const unitTypes: Readonly<Record<StorageGeneration, StorageUnitType>> = {
  legacy: StorageUnitType.UNIT_TYPE_LEGACY,
  y2024: StorageUnitType.UNIT_TYPE_2024,
  y2025: StorageUnitType.UNIT_TYPE_2025,
}

const sets = Object.values(MessageSet)

/** Computes the limits of a number of units. Without units every limit is 0, except that of keys. */
export function limitsOf(units: StorageUnits): StorageLimits {
  const limits = {} as Record<MessageSet, number>
  for (const set of sets) limits[set] = limitOf(messagesPerUnit[set], units)
  return limits
}

function limitOf(perUnit: StorageUnits, units: StorageUnits): number {
  if (perUnit.legacy === Infinity) return Infinity
  return units.legacy * perUnit.legacy + units.y2024 * perUnit.y2024 + units.y2025 * perUnit.y2025
}

/**
 * Computes the units that limit a user's messages: own units that are not lent, and borrowed ones. Never below 0:
 * when units expire, a lender may have lent more than it owns.
 */
export function usableUnits(own: StorageUnits, lent: StorageUnits, borrowed: StorageUnits): StorageUnits {
  const usable = (generation: StorageGeneration) =>
    Math.max(0, own[generation] - lent[generation]) + borrowed[generation]
  return { legacy: usable('legacy'), y2024: usable('y2024'), y2025: usable('y2025') }
}

/**
 * Returns the type and end of a unit, as of engine version 18. `rentedAt` and the end are in Unix seconds, `network` is the
 * FarcasterNetwork of the hub.
 */
export function storageUnitOf(
  rentedAt: number,
  network: number,
): { type: StorageUnitType; expiresAt: number } {
  const terms = network === FarcasterNetwork.MAINNET ? mainnetTerms : testTerms
  const { generation, years } = terms.find(({ rentedBefore }) => rentedAt < rentedBefore)!
  return { type: unitTypes[generation], expiresAt: rentedAt + years * YEAR_SECONDS }
}

/** Returns the generation of a unit type. An unknown type counts as the newest. */
export function generationOf(type: StorageUnitType): StorageGeneration {
  if (type === StorageUnitType.UNIT_TYPE_LEGACY) return 'legacy'
  return type === StorageUnitType.UNIT_TYPE_2024 ? 'y2024' : 'y2025'
}
