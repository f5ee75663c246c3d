import { MessageSet } from '../protocol/message-kind.js'

/** Storage units that have not expired, by generation (docs/protocol.md §4.8). */
export interface StorageUnits {
  readonly legacy: number
  readonly y2024: number
  readonly y2025: number
}

/** Most messages of each set. */
export type StorageLimits = Readonly<Record<MessageSet, number>>

/**
 * Messages that one unit allows (docs/protocol.md §4.8). The network has lowered them over time; a unit keeps
 * the numbers of its generation.
 */
const perUnit: Readonly<Record<MessageSet, StorageUnits>> = {
  [MessageSet.casts]: { legacy: 5000, y2024: 2000, y2025: 100 },
  [MessageSet.reactions]: { legacy: 2500, y2024: 1000, y2025: 200 },
  [MessageSet.links]: { legacy: 2500, y2024: 1000, y2025: 200 },
  [MessageSet.verifications]: { legacy: 25, y2024: 25, y2025: 5 },
  [MessageSet.userData]: { legacy: 50, y2024: 50, y2025: 25 },
  [MessageSet.usernameProofs]: { legacy: 5, y2024: 5, y2025: 2 },
  [MessageSet.lends]: { legacy: 1, y2024: 1, y2025: 1 },
  // Keys have a limit of their own (docs/protocol.md §3.3.12), and are never pruned.
  [MessageSet.keys]: { legacy: 0, y2024: 0, y2025: 0 },
}

/** The limits for a number of units. Without units every limit is 0, except that of keys. */
export function limitsOf(units: StorageUnits): StorageLimits {
  return {
    [MessageSet.casts]: limitOf(MessageSet.casts, units),
    [MessageSet.reactions]: limitOf(MessageSet.reactions, units),
    [MessageSet.links]: limitOf(MessageSet.links, units),
    [MessageSet.verifications]: limitOf(MessageSet.verifications, units),
    [MessageSet.userData]: limitOf(MessageSet.userData, units),
    [MessageSet.usernameProofs]: limitOf(MessageSet.usernameProofs, units),
    [MessageSet.lends]: limitOf(MessageSet.lends, units),
    [MessageSet.keys]: Number.POSITIVE_INFINITY,
  }
}

/**
 * The units that limit a user's messages: own units that are not lent, and borrowed ones. Own units are never
 * below zero, also when lent ones expire.
 */
export function usableUnits(own: StorageUnits, lent: StorageUnits, borrowed: StorageUnits): StorageUnits {
  const usable = (generation: keyof StorageUnits) =>
    Math.max(0, own[generation] - lent[generation]) + borrowed[generation]
  return { legacy: usable('legacy'), y2024: usable('y2024'), y2025: usable('y2025') }
}

function limitOf(set: MessageSet, units: StorageUnits): number {
  const unit = perUnit[set]
  return units.legacy * unit.legacy + units.y2024 * unit.y2024 + units.y2025 * unit.y2025
}
