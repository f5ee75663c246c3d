/** Casts whose reactions are remembered, and forgotten, together. */
const BLOCK_CASTS = 4096

/** Who has reacted to which recent cast how, so that nobody does it twice. */
export class ReactionHistory {
  readonly #users: number
  /** By block of casts. Keys stay below 2^53, and below 2^31 for up to 100,000 users, where sets are smallest. */
  readonly #blocks = new Map<number, Set<number>>()

  constructor(users: number) {
    this.#users = users
  }

  /** False when it was there already. `type` is 1 or 2. */
  add(cast: number, user: number, type: number): boolean {
    const number = Math.floor(cast / BLOCK_CASTS)
    let block = this.#blocks.get(number)
    if (block === undefined) {
      block = new Set()
      this.#blocks.set(number, block)
    }
    const key = ((cast % BLOCK_CASTS) * this.#users + user) * 2 + (type - 1)
    if (block.has(key)) return false
    block.add(key)
    return true
  }

  /** Forgets casts that nobody can react to any more. */
  deleteBefore(cast: number): void {
    for (const number of this.#blocks.keys()) {
      if ((number + 1) * BLOCK_CASTS > cast) return
      this.#blocks.delete(number)
    }
  }
}
