import { StorageUnitType } from '@farcaster/core'
import { limitsOf, storageUnitOf } from '../hub/storage-limits.js'
import { MessageSet } from '../protocol/message-kind.js'

type BoundedSet = 'casts' | 'reactions' | 'links'

/** Spare messages, for compact states and undone actions. */
const SPARE = 5

/** Tracks used storage, so that users rent more before messages are pruned. */
export class StorageUse {
  readonly #units: Uint16Array
  readonly #used: Readonly<Record<BoundedSet, Uint32Array>>

  constructor(users: number) {
    this.#units = new Uint16Array(users).fill(1)
    this.#used = {
      casts: new Uint32Array(users),
      reactions: new Uint32Array(users),
      links: new Uint32Array(users),
    }
  }

  /**
   * Counts a new message of a set.
   *
   * @param at Unix seconds: the size of a unit depends on when it is rented.
   * @returns Number of units that the user has to rent first; 0 if there is room.
   */
  take(user: number, set: BoundedSet, at: number): number {
    const used = this.#used[set]
    used[user]! += 1
    const units = this.#units[user]!
    if (used[user]! + SPARE <= units * perUnit(set, at)) return 0
    // Half as many again, so that active users do not rent every day.
    const rented = Math.ceil(units / 2)
    this.#units[user]! += rented
    return rented
  }
}

function perUnit(set: BoundedSet, at: number): number {
  const { type } = storageUnitOf(at)
  const limits = limitsOf({
    legacy: Number(type === StorageUnitType.UNIT_TYPE_LEGACY),
    y2024: Number(type === StorageUnitType.UNIT_TYPE_2024),
    y2025: Number(type === StorageUnitType.UNIT_TYPE_2025),
  })
  return limits[MessageSet[set]]
}
