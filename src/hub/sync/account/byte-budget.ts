/** So much may be read and wait to be merged, as it came. Decoded it takes about three times as much memory. */
const MAX_BYTES = 256 * 1024 * 1024
/** What an answer is taken to weigh until it is there. */
const EXPECTED_BYTES = 1024 * 1024

/**
 * Weighs what was read and waits to be merged, of all users who are read at the same time: pages are of so many
 * entries, which says nothing of their size. Whoever reads ahead stops while it is full; what is waited for is read.
 */
export class ByteBudget {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Whether nothing more is to be read ahead. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes
  }

  /** Weighs an answer: at first as what it is expected to be, then as what it is, until it is taken off. */
  async reserve<Answer>(pending: Promise<Answer>, bytesOf: (answer: Answer) => number): Promise<Answer> {
    this.#bytes += EXPECTED_BYTES
    try {
      const answer = await pending
      this.#bytes += bytesOf(answer)
      return answer
    } finally {
      this.#bytes -= EXPECTED_BYTES
    }
  }

  /** So much was handed on. */
  release(bytes: number): void {
    this.#bytes -= bytes
  }
}
