import type { Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { BatchState } from './state.js'
import type { ConflictKey, StoredMessage } from './stored-message.js'

/**
 * What merging a message type asks of state beyond the one competition for its slot. Most types have
 * nothing to add; those that do have a file in `rules/` and a line in `rules.ts`.
 */
export interface MergeRule {
  /** Slots besides its own that the rule looks at or changes, so that they are loaded before. */
  readonly conflictKeys?: (message: SignedMessage) => ConflictKey[]
  /** Names that the rule looks at. */
  readonly names?: (message: SignedMessage) => string[]
  /** Why the message may not merge in this state, whatever stands in its slot. */
  readonly check?: (message: SignedMessage, state: BatchState) => MergeRefusal | null
  /** What it displaces besides the message in its own slot. */
  readonly replaces?: (message: SignedMessage, state: BatchState) => StoredMessage[]
  /** Runs after the merge, with everything that it displaced. */
  readonly afterMerge?: (
    message: SignedMessage,
    replaced: readonly StoredMessage[],
    state: BatchState,
  ) => void
}

/** A refusal, with the slot whose holder caused it, where one did. */
export interface MergeRefusal extends Refusal {
  readonly causedBy?: ConflictKey
}
