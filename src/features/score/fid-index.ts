const EMPTY = -1
/** Slots per fid: at this load an unsuccessful lookup takes two probes on average. */
const SLOTS_PER_FID = 2

/**
 * Numbers fids from 0 in ascending order, so that account data fits in typed arrays.
 *
 * An open hash table with 16 bytes per fid; a `Map` of a million numbers takes five times the memory.
 */
export class FidIndex {
  /** The fid of each number, ascending. */
  readonly fids: Float64Array
  readonly #slots: Int32Array
  readonly #mask: number

  /** Builds the index from distinct fids in any order. */
  constructor(fids: ArrayLike<number>) {
    this.fids = Float64Array.from(fids).sort()
    let slots = 2
    while (slots < this.fids.length * SLOTS_PER_FID) slots *= 2
    this.#mask = slots - 1
    this.#slots = new Int32Array(slots).fill(EMPTY)
    for (let index = 0; index < this.fids.length; index += 1) {
      let slot = hash(this.fids[index]!) & this.#mask
      while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & this.#mask
      this.#slots[slot] = index
    }
  }

  get size(): number {
    return this.fids.length
  }

  /** Returns the number of a fid; -1 for unknown fids. */
  indexOf(fid: number): number {
    for (let slot = hash(fid) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const index = this.#slots[slot]!
      if (index === EMPTY || this.fids[index] === fid) return index
    }
  }
}

/** Knuth's multiplicative hash of the low 32 bits; its high bits are well mixed. */
function hash(fid: number): number {
  const mixed = Math.imul(fid | 0, 0x9e3779b1)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
