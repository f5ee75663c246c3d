import type { Refusal } from '../platform/errors.js'
import type { OnChainEvent, UserNameProof } from '../protocol/definitions.js'
import type { SignedMessage } from '../protocol/message.js'
import type { MergeItem } from './merge/shard-writer.js'
import type { Origin } from './origins.js'

/** Where submitted messages come from, and how they are merged. */
export interface SubmitOptions {
  /** Decides what is checked; by default `local`. */
  readonly origin?: Origin
  /** A hub that the operator trusts has verified signatures and claims. Form and hashes are checked. */
  readonly trusted?: boolean
  /** The messages are merged after those of earlier submissions with the same order. */
  readonly order?: SubmissionOrder
}

/**
 * Submissions that share it are verified side by side and queue their messages in the order of their calls. Without it the
 * later of two submissions may be merged first, and a reaction be refused because its removal is there already.
 */
export class SubmissionOrder {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves to the checks once all earlier submissions have theirs. */
  next<Checks>(checks: Promise<Checks>): Promise<Checks> {
    const previous = this.#last
    const inTurn = checks.finally(() => previous)
    this.#last = inTurn.catch(() => {})
    return inTurn
  }
}

/** Writes to the hub, durable when they resolve. Reads use the tables (`query/`) and the log (`log/`). */
export interface Hub {
  /**
   * Validates, verifies and merges messages, in the order of the protocol (docs/protocol.md §1.8). The answer
   * is aligned with the input: null for a message that is merged, else the refusal.
   *
   * @throws PlazaError `unavailable` when the database is unavailable or the queue is full.
   */
  submit(messages: readonly SignedMessage[], options?: SubmitOptions): Promise<(Refusal | null)[]>
  /**
   * Makes every check that needs no state but the tier, signatures included (docs/protocol.md §2.3).
   *
   * @param tierFids Whose tier decides, aligned with the messages; default: the senders.
   * @throws PlazaError `unavailable` when too many signatures wait to be checked, which says nothing about the messages.
   */
  validate(messages: readonly SignedMessage[], tierFids?: readonly number[]): Promise<(Refusal | null)[]>
  /** Validates a message that is never merged, such as a frame action, and checks that its key may sign it. */
  checkUnstored(message: SignedMessage): Promise<Refusal | null>
  /** Merges onchain events, or those of the local registry; null when merged, a Refusal for a duplicate. */
  submitOnChainEvents(events: readonly OnChainEvent[]): Promise<(Refusal | null)[]>
  /** Merges transfers of the fname registry; `fid` 0 releases the name. */
  submitNameTransfers(proofs: readonly UserNameProof[]): Promise<(Refusal | null)[]>
  /** Merges items of all three kinds, as the calls above do; the options are for messages. */
  submitItems(items: readonly MergeItem[], options?: SubmitOptions): Promise<(Refusal | null)[]>
  /** Removes messages that the upstream no longer stores, with a prune event; null for each stored one. */
  removeByUpstream(messages: readonly SignedMessage[]): Promise<(Refusal | null)[]>
  /**
   * Removes names that no longer resolve to the owner in their proof, with the username entries that show them
   * (docs/protocol.md §4.9); null for each removed one.
   *
   * @param proofs USERNAME_PROOF messages. One that is not stored any more is refused.
   */
  removeLostNames(proofs: readonly SignedMessage[]): Promise<(Refusal | null)[]>
  /** Number of messages and events that wait for their merge in this process. */
  queued(): number
  /** Refuses new work, and finishes what is in progress. */
  close(): Promise<void>
}
