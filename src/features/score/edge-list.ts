const CHUNK_EDGES = 1 << 20

/** A chunk of endorsements being loaded. */
export interface EdgeChunk {
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly code: Uint8Array
  length: number
}

/** One byte per endorsement: the high bit is a follow, the other seven count likes up to 127. */
export const FOLLOW = 0x80
export const MAX_LIKES = 0x7f

/** A growing list of endorsements with nine bytes each. It grows by chunks, so it is never copied. */
export class EdgeList {
  readonly #chunks: EdgeChunk[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds a follow; both are numbers of a `FidIndex`. */
  addFollow(from: number, to: number): void {
    this.#add(from, to, FOLLOW)
  }

  /** Adds likes by `from` of `count` casts of `to`. Repeated counts add up. */
  addLikes(from: number, to: number, count: number): void {
    if (count > 0) this.#add(from, to, Math.min(count, MAX_LIKES))
  }

  /** Yields the chunks, last first, and drops each, since the sort needs the memory. */
  *drain(): Generator<EdgeChunk> {
    for (let chunk = this.#chunks.pop(); chunk !== undefined; chunk = this.#chunks.pop()) {
      this.#length -= chunk.length
      yield chunk
    }
  }

  /** Returns the current chunks. */
  chunks(): readonly EdgeChunk[] {
    return this.#chunks
  }

  #add(from: number, to: number, code: number): void {
    // Self-endorsements do not count.
    if (from === to) return
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || chunk.length === CHUNK_EDGES) {
      chunk = {
        from: new Uint32Array(CHUNK_EDGES),
        to: new Uint32Array(CHUNK_EDGES),
        code: new Uint8Array(CHUNK_EDGES),
        length: 0,
      }
      this.#chunks.push(chunk)
    }
    chunk.from[chunk.length] = from
    chunk.to[chunk.length] = to
    chunk.code[chunk.length] = code
    chunk.length += 1
    this.#length += 1
  }
}
