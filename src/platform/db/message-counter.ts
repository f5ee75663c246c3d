const HEADER_BYTES = 5
const TYPE_BYTES = 1

/** Counts messages of some types in one direction of a connection, and reads their headers and last bytes alone. */
export class MessageCounter {
  readonly #header = Buffer.alloc(HEADER_BYTES)
  /** Bytes of a header that ended with the last chunk. */
  #held = 0
  /** Bytes of the next chunks that belong to a message whose header was read. */
  #rest = 0
  /** Whether the last counted message ends in a later chunk. */
  #isCut = false
  /** The last byte of the last counted message; null before the first. */
  lastByte: number | null = null

  /** @param types The first bytes of the counted messages. */
  constructor(private readonly types: readonly number[]) {}

  /** The number of counted messages that begin in this chunk, or whose header ends in it. */
  count(chunk: Buffer): number {
    let counted = 0
    let offset = this.#rest
    if (this.#isCut) this.#readEnd(chunk, offset)
    while (offset < chunk.length) {
      let type = chunk[offset]!
      if (this.#held === 0 && offset + HEADER_BYTES <= chunk.length) {
        offset += TYPE_BYTES + chunk.readUInt32BE(offset + TYPE_BYTES)
      } else {
        const copied = chunk.copy(this.#header, this.#held, offset, offset + HEADER_BYTES - this.#held)
        this.#held += copied
        offset += copied
        if (this.#held < HEADER_BYTES) break
        this.#held = 0
        type = this.#header[0]!
        offset += this.#header.readUInt32BE(TYPE_BYTES) - (HEADER_BYTES - TYPE_BYTES)
      }
      if (this.types.includes(type)) {
        counted += 1
        this.#readEnd(chunk, offset)
      }
    }
    this.#rest = offset - chunk.length
    return counted
  }

  /** Reads the last byte of a message whose end has this offset, if that is in the chunk. */
  #readEnd(chunk: Buffer, end: number): void {
    this.#isCut = end > chunk.length
    if (!this.#isCut) this.lastByte = chunk[end - 1]!
  }
}
