import type { Refusal } from '../../platform/errors.js'
import type { MessageData } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { BatchState } from './state.js'
import type { ConflictKey, StoredMessage } from './stored-message.js'

/**
 * How a message type merges, where it differs from plain conflict resolution (docs/protocol.md §4.2). Each rule has
 * a file in `rules/` and a line in `rules.ts`.
 */
export interface MergeRule {
  /** Order of the type within a block, lower first (docs/protocol.md §1.8); default 4. */
  readonly order?: (data: MessageData) => number
  /** The body authorizes the message: its signer needs no key of the fid (docs/protocol.md §4.6). */
  readonly isAuthorizedByBody?: boolean
  /** The type changes state that is unique across fids: its batch locks all shards. */
  readonly locksAllShards?: boolean
  /** Further conflict keys that the rule reads or changes; the batch loads them. */
  readonly conflictKeys?: (message: SignedMessage) => ConflictKey[]
  /** Names that the rule reads; the batch loads them. */
  readonly names?: (message: SignedMessage) => string[]
  /** Returns why the message is not valid in this state, before all conflicts. */
  readonly check?: (message: SignedMessage, state: BatchState) => MergeRefusal | null
  /**
   * Applies what the message ends even if it loses (docs/protocol.md §4.3.1), before conflict resolution, and returns why a
   * message under another conflict key refuses it.
   */
  readonly beforeConflicts?: (message: SignedMessage, state: BatchState) => MergeRefusal | null
  /** Merges in place of conflict resolution, events included. */
  readonly merge?: (
    message: SignedMessage,
    conflictKey: ConflictKey,
    state: BatchState,
  ) => MergeRefusal | null
  /** Returns what the message displaces besides the message under its own conflict key. */
  readonly replaces?: (message: SignedMessage, state: BatchState) => StoredMessage[]
  /** Runs after conflict resolution, with all displaced messages. */
  readonly afterMerge?: (
    message: SignedMessage,
    replaced: readonly StoredMessage[],
    state: BatchState,
  ) => void
}

/** A refusal, with the conflict key or the name whose holder caused it, if there is one. */
export interface MergeRefusal extends Refusal {
  readonly causedBy?: ConflictKey
  readonly causedByName?: string
}
