import type { OnChainEvent, UserNameProof } from '@farcaster/core'
import type { Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'

/** Where an item stands in the log of another hub. */
export interface SourceOffset {
  /** Names the log. */
  readonly log: string
  /** Of the event there. */
  readonly id: number
}

/** The places of the messages, events and proofs of a batch that come from another log. */
export type SourceOffsets = ReadonlyMap<object, SourceOffset>

/** What one transaction merges. Messages are valid by themselves: form, limits and signatures. */
export interface MergeBatch {
  readonly chainEvents: readonly OnChainEvent[]
  readonly nameTransfers: readonly UserNameProof[]
  readonly messages: readonly SignedMessage[]
  /** Those of the messages that stand in another hub already (`SubmitOptions.admitted`). */
  readonly historical?: ReadonlySet<SignedMessage>
  /** Messages that are to stand no more (`Hub.withdraw`). */
  readonly upstreamRemovals?: readonly SignedMessage[]
  /** Where messages, events and proofs stand in the log of another hub that is followed (`SubmitOptions.places`). */
  readonly sourceOffsets?: SourceOffsets
}

/** Aligned with the batch: null for what was merged. */
export interface MergeOutcomes {
  readonly chainEvents: (Refusal | null)[]
  readonly nameTransfers: (Refusal | null)[]
  readonly messages: (Refusal | null)[]
  readonly upstreamRemovals?: (Refusal | null)[]
}
