import { MessageType } from '@farcaster/core'
import { refuse } from '../../../platform/errors.js'
import { compactKey } from '../../../protocol/kinds/link.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { Slot, Standing } from '../standing.js'
import type { BatchState } from '../state.js'

/** Where the compact state of a user's links of one type stands. */
function compactSlot(fid: number, linkType: string): Slot {
  return { fid, set: MessageSet.links, key: compactKey(linkType) }
}

/**
 * Links and the compact state that replaces many of them (docs/protocol.md §4.3). One difference
 * from the reference node: a link of the very second of the compact state counts as older than it, in both
 * orders of arrival, where the node lets it stand in one order and deletes it in the other.
 */
export const linkRule: MergeRule = {
  slots: (message) => [compactSlot(message.data.fid, message.data.linkBody!.type)],
  check: (message, state) => checkAgainstCompact(message, state),
}

export const linkCompactRule: MergeRule = {
  displaces: (message, state) => linksOlderThan(message, state),
}

function checkAgainstCompact(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { fid, timestamp, type } = message.data
  const { type: linkType, targetFid } = message.data.linkBody!
  const slot = compactSlot(fid, linkType)
  const compact = state.at(slot)
  if (!compact || timestamp > compact.ts) return null
  if (type === MessageType.LINK_REMOVE) {
    const text = 'Remove message earlier than the compact state message will be immediately pruned'
    return { ...refuse('bad_request.prunable', text), causedBy: slot }
  }
  const listed = compact.message().data.linkCompactStateBody!.targetFids.includes(targetFid!)
  if (listed) return null
  const text = `Target fid ${targetFid} not in the compact state target fids`
  return { ...refuse('bad_request.conflict', text), causedBy: slot }
}

/** Removes that the compact state makes pointless, then adds that it does not list. */
function linksOlderThan(message: SignedMessage, state: BatchState): Standing[] {
  const { fid, timestamp } = message.data
  const { type, targetFids } = message.data.linkCompactStateBody!
  const kept = new Set(targetFids)
  const removes: Standing[] = []
  const adds: Standing[] = []
  for (const standing of state.standingOf(fid)) {
    if (standing.set !== MessageSet.links || standing.ts > timestamp) continue
    if (standing.type === MessageType.LINK_COMPACT_STATE) continue
    const link = standing.message().data.linkBody!
    if (link.type !== type) continue
    if (standing.type === MessageType.LINK_REMOVE) removes.push(standing)
    else if (!kept.has(link.targetFid!)) adds.push(standing)
  }
  return [...removes, ...adds]
}
