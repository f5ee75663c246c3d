const EMPTY = -1
/** Slots per fid: below this load an unsuccessful look-up takes two probes on average. */
const SLOTS_PER_FID = 2

/**
 * Numbers fids from 0, in ascending order, so that everything about users fits in typed arrays. An open
 * hash table of 16 bytes a fid: a `Map` of a million numbers takes five times the memory.
 */
export class FidIndex {
  /** The fid of each number, ascending. */
  readonly fids: Float64Array
  readonly #slots: Int32Array
  readonly #mask: number

  /** Takes fids in any order, each once. */
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

  /** The number of a fid; -1 if it is not among them. */
  indexOf(fid: number): number {
    for (let slot = hash(fid) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const index = this.#slots[slot]!
      if (index === EMPTY || this.fids[index] === fid) return index
    }
  }
}

/** Knuth's multiplicative hash of the low 32 bits; its good bits are the high ones. */
function hash(fid: number): number {
  const mixed = Math.imul(fid | 0, 0x9e3779b1)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
