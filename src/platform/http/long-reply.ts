import { Readable } from 'node:stream'

/**
 * A reply of several MB in parts. It is sent as its reader takes it: joining 7 MB and handing them to the socket in one go
 * takes the thread 30 ms, and the parts may be shared with a cache.
 */
export class LongReply extends Readable {
  /** Bytes of all parts. */
  readonly length: number
  readonly #parts: Iterator<Buffer>

  constructor(parts: readonly Buffer[]) {
    super()
    this.length = parts.reduce((sum, { length }) => sum + length, 0)
    this.#parts = parts.values()
  }

  override _read(): void {
    this.push(this.#parts.next().value ?? null)
  }
}

/** Shorter replies are joined. */
const MAX_JOINED_BYTES = 512 * 1024

/** Joins the parts of a reply, unless it is long. */
export function replyOf(parts: readonly Buffer[]): Buffer | LongReply {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0)
  return bytes <= MAX_JOINED_BYTES ? Buffer.concat(parts) : new LongReply(parts)
}
