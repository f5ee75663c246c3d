import type { Transaction } from '../../platform/db/connection.js'
import { MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { loadLinkCutoffs } from './link-cutoffs.js'
import { compactConflictKey } from './rules/links.js'
import type { BatchState } from './state.js'
import {
  type ConflictKey,
  conflictKeyId,
  type StoredMessageRow,
  storedMessageFromRow,
} from './stored-message.js'

/**
 * Loads what compact states, and links that are older than one, read and change (docs/protocol.md §4.3). A batch without
 * them runs no statement. Call it when the messages' own conflict keys are loaded.
 */
export async function loadCompaction(
  db: Transaction,
  state: BatchState,
  messages: readonly SignedMessage[],
  upstreamRemovals: readonly SignedMessage[],
): Promise<void> {
  await Promise.all([
    loadLinksToCompact(db, state, messages),
    loadLinkCutoffs(db, cutoffKeysOf([...messages, ...upstreamRemovals], state), state.linkCutoffs),
  ])
}

/**
 * Loads all links of the senders of compact states, since a compact state can displace any of them. Compact states of other
 * types stay where they are: a user may have many, of 64 kB each.
 */
async function loadLinksToCompact(
  db: Transaction,
  state: BatchState,
  messages: readonly SignedMessage[],
): Promise<void> {
  const compactStates = messages.filter(({ data }) => data.type === MessageType.LINK_COMPACT_STATE)
  if (compactStates.length === 0) return
  const rows = await db<StoredMessageRow[]>`
    select fid, set, key, type, ts, hash, message
    from hub.messages
    where fid = any (${compactStates.map(({ data }) => data.fid)}::bigint[])
      and set = ${MessageSet.links}
      and type <> ${MessageType.LINK_COMPACT_STATE}
  `
  for (const row of rows) state.load(row, storedMessageFromRow(row))
}

/** Returns the conflict keys of compact states whose cutoffs the batch can read or change. */
function cutoffKeysOf(messages: readonly SignedMessage[], state: BatchState): ConflictKey[] {
  const keys = new Map<string, ConflictKey>()
  for (const message of messages) {
    const conflictKey = compactConflictKey(message)
    if (!conflictKey) continue
    const compact = state.get(conflictKey)
    const isOlderLink = compact !== null && message.data.timestamp <= compact.ts
    const isCompact = message.data.type === MessageType.LINK_COMPACT_STATE
    if (isCompact || isOlderLink) keys.set(conflictKeyId(conflictKey), conflictKey)
  }
  return [...keys.values()]
}
