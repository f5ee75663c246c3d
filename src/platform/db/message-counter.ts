const HEADER_BYTES = 5
const TYPE_BYTES = 1

/** Counts messages of some types in one direction of a connection, from the headers alone. */
export class MessageCounter {
  readonly #header = Buffer.alloc(HEADER_BYTES)
  /** Bytes of a header that ended with the last chunk. */
  #held = 0
  /** Bytes of the next chunks that belong to a message whose header was read. */
  #rest = 0

  /** @param types The first bytes of the counted messages. */
  constructor(private readonly types: readonly number[]) {}

  /** The number of counted messages that begin in this chunk, or whose header ends in it. */
  count(chunk: Buffer): number {
    let counted = 0
    let offset = this.#rest
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
      if (this.types.includes(type)) counted += 1
    }
    this.#rest = offset - chunk.length
    return counted
  }
}
