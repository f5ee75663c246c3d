import { StorageUnitType } from '@farcaster/core'
import { limitsOf, storageUnitOf } from '../hub/storage-limits.js'
import { MessageSet } from '../protocol/message-kind.js'

type BoundedSet = 'casts' | 'reactions' | 'links'

/** Room that is kept free: compact states and second thoughts take places too. */
const SPARE = 5

/** How much of their storage users fill, so that they rent more before anything of theirs is pruned. */
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
   * Counts a new place in a set.
   *
   * @param at Unix seconds: what a unit is good for depends on when it is rented.
   * @returns how many units the user has to rent first; 0 when there is room.
   */
  take(user: number, set: BoundedSet, at: number): number {
    const used = this.#used[set]
    used[user]! += 1
    const units = this.#units[user]!
    if (used[user]! + SPARE <= units * perUnit(set, at)) return 0
    // By half, so that those who write most do not rent every day.
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
