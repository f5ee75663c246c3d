/** Users, to be asked for one by one. */
export interface Authors {
  has(fid: number): boolean
}

/** So many are remembered at the least. */
const MIN_REMEMBERED = 10_000

/**
 * Who has cast or recast of late, or has taken it back, in the order in which it became known here. What was made of
 * the casts of thousands of users is held against it when it is asked for again, which costs what has happened since;
 * a tag for each of them would cost thousands of entries.
 */
export class AuthorActivity {
  #fids: number[] = []
  /** Of the first that is remembered. */
  #firstOffset = 0

  /** The place behind everything so far. */
  get endOffset(): number {
    return this.#firstOffset + this.#fids.length
  }

  record(fids: readonly number[]): void {
    for (const fid of fids) this.#fids.push(fid)
    if (this.#fids.length <= 2 * MIN_REMEMBERED) return
    this.#firstOffset += this.#fids.length - MIN_REMEMBERED
    this.#fids = this.#fids.slice(-MIN_REMEMBERED)
  }

  /** Whether one of them has done something since that place; true as well when it is not remembered. */
  hasAny(authors: Authors, sinceOffset: number): boolean {
    if (sinceOffset < this.#firstOffset) return true
    for (let index = sinceOffset - this.#firstOffset; index < this.#fids.length; index += 1) {
      if (authors.has(this.#fids[index]!)) return true
    }
    return false
  }
}
