/** A set of fids with a lookup by fid. */
export interface Authors {
  has(fid: number): boolean
}

/** The minimum number of remembered fids. */
const MIN_REMEMBERED_AUTHORS = 10_000

/**
 * A queue of users who cast or recasted, or removed a cast or recast. An entry made from the casts of thousands of users
 * checks it when it is read; a tag for each user would cost thousands of entries in the tag index.
 */
export class AuthorActivity {
  #fids: number[] = []
  /** The offset of the oldest fid that is remembered. */
  #firstOffset = 0

  /** The offset behind all activity so far. */
  get endOffset(): number {
    return this.#firstOffset + this.#fids.length
  }

  record(fids: readonly number[]): void {
    for (const fid of fids) this.#fids.push(fid)
    if (this.#fids.length <= 2 * MIN_REMEMBERED_AUTHORS) return
    this.#firstOffset += this.#fids.length - MIN_REMEMBERED_AUTHORS
    this.#fids = this.#fids.slice(-MIN_REMEMBERED_AUTHORS)
  }

  /** Whether one of the authors was active at or after an offset; true when that offset is forgotten. */
  hasAny(authors: Authors, sinceOffset: number): boolean {
    if (sinceOffset < this.#firstOffset) return true
    for (let index = sinceOffset - this.#firstOffset; index < this.#fids.length; index += 1) {
      if (authors.has(this.#fids[index]!)) return true
    }
    return false
  }
}
