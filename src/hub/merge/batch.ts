import type { Refusal } from '../../platform/errors.js'
import type { OnChainEvent, UserNameProof } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'

/** The position of an item in the log of another hub. */
export interface SourceOffset {
  /** Name of the log. */
  readonly log: string
  /** Event id in that log. */
  readonly id: number
}

/** Source offsets by the message, event or proof they belong to. */
export type SourceOffsets = ReadonlyMap<object, SourceOffset>

/** The input of one transaction. Form, limits and signatures of messages have been checked. */
export interface MergeBatch {
  readonly chainEvents: readonly OnChainEvent[]
  readonly nameTransfers: readonly UserNameProof[]
  readonly messages: readonly SignedMessage[]
  /** Messages that another hub has accepted (docs/protocol.md §4.14, `OriginRules.isHistorical`). */
  readonly historical?: ReadonlySet<SignedMessage>
  /** Messages of an upstream or an archive (`OriginRules.isSynced`). */
  readonly synced?: ReadonlySet<SignedMessage>
  /** All of it copies what another hub had stored, and did not come by its log (`MergeItem.isCopy`). */
  readonly isCopy?: boolean
  /** Messages whose claim no chain has confirmed, and the refusal for it (docs/protocol.md §4.12). */
  readonly unconfirmed?: ReadonlyMap<SignedMessage, Refusal>
  /** USERNAME entries that a chain has confirmed, and the proofs by which it has (`MergeItem.confirmedProof`). */
  readonly confirmedProofs?: ReadonlyMap<SignedMessage, UserNameProof>
  /** Messages that are sent to the upstream when they are merged (`OriginRules.isOutgoing`). */
  readonly outgoing?: ReadonlySet<SignedMessage>
  /** Proofs among the name transfers whose names are lost (`MergeItem.isLost`). */
  readonly lostProofs?: ReadonlySet<UserNameProof>
  /** Name proofs that no longer resolve to their owner (`Hub.removeLostNames`). */
  readonly lostNames?: readonly SignedMessage[]
  /** Messages that the upstream no longer stores (`Hub.removeByUpstream`). */
  readonly upstreamRemovals?: readonly SignedMessage[]
  /** Offsets of items that come from an upstream log (`MergeItem.sourceOffset`). */
  readonly sourceOffsets?: SourceOffsets
}

/** The outcomes of a batch, aligned with it: null for what was merged. */
export interface MergeOutcomes {
  readonly chainEvents: (Refusal | null)[]
  readonly nameTransfers: (Refusal | null)[]
  readonly messages: (Refusal | null)[]
  readonly upstreamRemovals?: (Refusal | null)[]
  readonly lostNames?: (Refusal | null)[]
}
