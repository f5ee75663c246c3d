import { MINUTE_MS } from '../../../platform/durations.js'
import type { Log } from '../../../platform/log/log.js'
import { hexOf } from '../../../protocol/bytes.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** Lines of a minute: an upstream with other rules may refuse everything. */
const LINES_PER_MINUTE = 10

/** Logs messages that the upstream refused: a few lines a minute, and the number of the others. */
export class RefusedMessageLog {
  #startMs = Number.NEGATIVE_INFINITY
  #lines = 0
  #unlogged = 0

  /** `clock` is in milliseconds from any origin. */
  constructor(
    private readonly log: Log,
    private readonly clock: () => number,
  ) {}

  /** Logs a message, unless this minute has its lines. */
  add({ data, hash }: SignedMessage, { code, text }: { readonly code: string; readonly text: string }): void {
    this.flush()
    if (this.#lines === LINES_PER_MINUTE) {
      this.#unlogged += 1
      return
    }
    this.#lines += 1
    const refused = { fid: data.fid, hash: hexOf(hash), code, reason: text }
    this.log.warn(refused, 'the upstream refused a message that was published here')
  }

  /** Logs how many messages had no line in the last minute, when it is over. */
  flush(): void {
    if (this.clock() - this.#startMs < MINUTE_MS) return
    if (this.#unlogged > 0)
      this.log.warn({ messages: this.#unlogged }, 'the upstream refused more messages in the last minute')
    this.#startMs = this.clock()
    this.#lines = 0
    this.#unlogged = 0
  }
}
