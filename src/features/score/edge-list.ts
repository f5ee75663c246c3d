const CHUNK_EDGES = 1 << 20

/** Where the endorsements that are being loaded stand. */
export interface EdgeChunk {
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly code: Uint8Array
  length: number
}

/**
 * What one account has done for another, in one byte: the high bit says that it follows, the other seven
 * count its likes, up to 127.
 */
export const FOLLOW = 0x80
export const MAX_LIKES = 0x7f

/**
 * A growing list of endorsements, nine bytes each. It grows by whole chunks, so that growing never copies
 * and never holds the list twice.
 */
export class EdgeList {
  readonly #chunks: EdgeChunk[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** `from` follows `to`; both are numbers of a `FidIndex`. */
  addFollow(from: number, to: number): void {
    this.#add(from, to, FOLLOW)
  }

  /** `from` liked `count` casts of `to`. Said twice, the counts add up. */
  addLikes(from: number, to: number, count: number): void {
    if (count > 0) this.#add(from, to, Math.min(count, MAX_LIKES))
  }

  /** Hands the chunks out, last first, and forgets each: the one who sorts them needs the room. */
  *drain(): Generator<EdgeChunk> {
    for (let chunk = this.#chunks.pop(); chunk !== undefined; chunk = this.#chunks.pop()) {
      this.#length -= chunk.length
      yield chunk
    }
  }

  /** The chunks as they stand. */
  chunks(): readonly EdgeChunk[] {
    return this.#chunks
  }

  #add(from: number, to: number, code: number): void {
    // Nobody vouches for oneself.
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
