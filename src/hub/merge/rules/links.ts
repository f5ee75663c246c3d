import { refuse } from '../../../platform/errors.js'
import { MessageType } from '../../../protocol/definitions.js'
import { compactKey } from '../../../protocol/kinds/link.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import type { ConflictKey, StoredMessage } from '../stored-message.js'

/** Returns the conflict key of the compact state of a link type. */
function compactConflictKey(fid: number, linkType: string): ConflictKey {
  return { fid, set: MessageSet.links, key: compactKey(linkType) }
}

/**
 * Rule of LINK_ADD and LINK_REMOVE: a compact state refuses older links (docs/protocol.md §4.3).
 *
 * A link of the same second as the compact state counts as older, in both orders of arrival. The reference
 * node stores or deletes it by order of arrival (docs/protocol.md §9.1).
 */
export const linkRule: MergeRule = {
  conflictKeys: (message) => [compactConflictKey(message.data.fid, message.data.linkBody!.type)],
  check: checkCompactState,
}

export const linkCompactRule: MergeRule = { replaces: linksOlderThan }

function checkCompactState(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { fid, timestamp, type } = message.data
  const { type: linkType, targetFid } = message.data.linkBody!
  const conflictKey = compactConflictKey(fid, linkType)
  const compact = state.get(conflictKey)
  if (!compact || timestamp > compact.ts) return null
  if (type === MessageType.LINK_REMOVE) {
    const text = 'Remove message earlier than the compact state message will be immediately pruned'
    return { ...refuse('bad_request.prunable', text), causedBy: conflictKey }
  }
  const isListed = compact.message().data.linkCompactStateBody!.targetFids.includes(targetFid!)
  if (isListed) return null
  const text = `Target fid ${targetFid} not in the compact state target fids`
  return { ...refuse('bad_request.conflict', text), causedBy: conflictKey }
}

/** Returns older removes, then older adds to targets that the compact state does not list. */
function linksOlderThan(message: SignedMessage, state: BatchState): StoredMessage[] {
  const { fid, timestamp } = message.data
  const { type, targetFids } = message.data.linkCompactStateBody!
  const kept = new Set(targetFids)
  const removes: StoredMessage[] = []
  const adds: StoredMessage[] = []
  for (const stored of state.storedMessagesOf(fid)) {
    if (stored.set !== MessageSet.links || stored.ts > timestamp) continue
    if (stored.type === MessageType.LINK_COMPACT_STATE) continue
    const link = stored.message().data.linkBody!
    if (link.type !== type) continue
    if (stored.type === MessageType.LINK_REMOVE) removes.push(stored)
    else if (!kept.has(link.targetFid!)) adds.push(stored)
  }
  return [...removes, ...adds]
}
