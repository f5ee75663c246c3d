import type { OnChainEvent, UserNameProof } from '@farcaster/core'
import type { Refusal } from '../platform/errors.js'
import type { SignedMessage } from '../protocol/message.js'
import type { SourceOffset } from './merge/batch.js'

/** What the hub may rely on. */
export interface SubmitOptions {
  /**
   * The caller has signed these messages itself, just now: their own signatures are good by the way they were made, and
   * are not checked again. Everything else is, claims inside of them too.
   */
  readonly signedLocally?: boolean
  /**
   * They come from a hub of the caller's own, which has verified them: no signature is checked again, and no claim.
   * Their form and their hashes are.
   */
  readonly trusted?: boolean
  /**
   * They stand in the sets of another hub, which has let them in when they were new. What let them in may have ended
   * since: so a key that was a signer once is enough, storage counts that has expired, and neither the pro tier nor
   * what a rule asks only of the sender is looked at. Everything by which messages compete holds as ever.
   */
  readonly historical?: boolean
  /**
   * Where each of them stands in the log of another hub, aligned with what is submitted. What was taken from a place is
   * not taken from there again, whatever has become of it since: that is a duplicate. Which places are taken is
   * written in the transaction that merges.
   */
  readonly sourceOffsets?: readonly (SourceOffset | undefined)[]
}

/**
 * The hub as the rest of Plaza sees it: what may be written, each call durable when it resolves.
 * Reads go to the tables through `queries/`, the log through `log/`.
 */
export interface Hub {
  /**
   * Validates, verifies and merges messages. The answer is aligned with the input: null for a message
   * that now stands (or, for frame actions, is valid), else why not. Order inside a call is the
   * protocol's (docs/protocol.md §1.8), not the caller's.
   * @throws PlazaError `unavailable` when the database is away or the queue is full.
   */
  submit(messages: readonly SignedMessage[], options?: SubmitOptions): Promise<(Refusal | null)[]>
  /** Every check that needs no state, signatures included (docs/protocol.md §2.3). */
  validate(messages: readonly SignedMessage[]): Promise<(Refusal | null)[]>
  /** Merges events of the chains, or of the local registry; null when merged, a Refusal for a duplicate. */
  submitOnChainEvents(
    events: readonly OnChainEvent[],
    options?: Pick<SubmitOptions, 'sourceOffsets'>,
  ): Promise<(Refusal | null)[]>
  /** Merges transfers of the fname registry; `fid` 0 releases the name. */
  submitNameTransfers(
    proofs: readonly UserNameProof[],
    options?: Pick<SubmitOptions, 'sourceOffsets'>,
  ): Promise<(Refusal | null)[]>
  /**
   * Has messages stand no more that this hub should not hold: a hub that it follows does not. It is told in the log
   * as what storage has no room for; null for each that stood.
   */
  removeByUpstream(messages: readonly SignedMessage[]): Promise<(Refusal | null)[]>
  /** How many messages and events wait to be merged in this process. */
  queued(): number
  /** Stops taking work, finishes what was taken. */
  close(): Promise<void>
}
