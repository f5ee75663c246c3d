import { refuse } from '../../../platform/errors.js'
import { HubEventType, MessageType } from '../../../protocol/definitions.js'
import { compactKey, linkKey } from '../../../protocol/kinds/link.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { NO_CUTOFF } from '../link-cutoffs.js'
import { compareCandidates } from '../resolve-conflict.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import { type ConflictKey, type StoredMessage, toStoredMessage } from '../stored-message.js'

/**
 * Returns the conflict key of the compact state that a message is about: its own, or that of its link type. Null for
 * other messages.
 */
export function compactConflictKey({ data }: SignedMessage): ConflictKey | null {
  const body = data.linkBody ?? data.linkCompactStateBody
  return body ? { fid: data.fid, set: MessageSet.links, key: compactKey(body.type) } : null
}

/**
 * Rule of LINK_ADD and LINK_REMOVE: a compact state refuses older links (docs/protocol.md §4.3).
 *
 * All orders of arrival end in the state that chronological order has. So what arrives late still ends the links that
 * it would have ended in time, although it is refused itself (docs/protocol.md §4.3.1).
 */
export const linkRule: MergeRule = {
  conflictKeys: (message) => [compactConflictKey(message)!],
  beforeConflicts: (message, state) =>
    message.data.type === MessageType.LINK_REMOVE
      ? applyLateRemove(message, state)
      : checkAdd(message, state),
}

/** Rule of LINK_COMPACT_STATE: it displaces older links (docs/protocol.md §4.3). */
export const linkCompactRule: MergeRule = {
  beforeConflicts: (message, state) => {
    endUnlisted(message, state)
    return null
  },
  replaces: linksOlderThan,
  afterMerge: carryCutoffs,
}

function checkAdd(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { timestamp, linkBody } = message.data
  const targetFid = linkBody!.targetFid!
  const conflictKey = compactConflictKey(message)!
  const compact = state.get(conflictKey)
  if (!compact || timestamp > compact.ts) return null
  if (!targetsOf(compact.message()).includes(targetFid)) {
    const text = `Target fid ${targetFid} not in the compact state target fids`
    return { ...refuse('bad_request.conflict', text), causedBy: conflictKey }
  }
  if (timestamp > state.linkCutoffs.get(conflictKey, targetFid)) return null
  return {
    ...refuse('bad_request.conflict', 'message conflicts with a more recent remove'),
    causedBy: conflictKey,
  }
}

/** Refuses a remove that a compact state covers, and ends what it would have ended in time. */
function applyLateRemove(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const conflictKey = compactConflictKey(message)!
  const compact = state.get(conflictKey)
  if (!compact || message.data.timestamp > compact.ts) return null
  const targetFid = message.data.linkBody!.targetFid!
  if (targetsOf(compact.message()).includes(targetFid)) {
    const key = linkKey(linkTypeOf(message), targetFid)
    endLink(state.get({ fid: conflictKey.fid, set: MessageSet.links, key }), message, state)
    state.linkCutoffs.raise(conflictKey, targetFid, message.data.timestamp)
  }
  const text = 'Remove message earlier than the compact state message will be immediately pruned'
  return { ...refuse('bad_request.prunable', text), causedBy: conflictKey }
}

/** Ends the links that a compact state would have ended before the newer one that is stored. */
function endUnlisted(message: SignedMessage, state: BatchState): void {
  const conflictKey = compactConflictKey(message)!
  const newer = state.get(conflictKey)
  if (!newer || compareCandidates(toStoredMessage(conflictKey, message), newer) >= 0) return
  const { fid, timestamp } = message.data
  const listed = new Set(targetsOf(message))
  // All links of the user are loaded, and their number is limited. Links to targets that the newer one does not list are
  // of a later second than it, so of a later one than this.
  for (const stored of state.storedMessagesOf(fid)) {
    if (stored.type !== MessageType.LINK_ADD || stored.ts > timestamp) continue
    const { type, targetFid } = stored.message().data.linkBody!
    if (type === linkTypeOf(message) && !listed.has(targetFid!)) endLink(stored, message, state)
  }
  state.linkCutoffs.raiseUnlisted(conflictKey, targetsOf(newer.message()), { listed, timestamp })
}

/** Deletes a stored add up to the time of the message that ends it. */
function endLink(stored: StoredMessage | null, { data }: SignedMessage, state: BatchState): void {
  if (stored?.type !== MessageType.LINK_ADD || stored.ts > data.timestamp) return
  state.set(stored, null)
  state.emit(data.fid, { type: HubEventType.PRUNE_MESSAGE, message: stored.message() })
}

/** Returns older removes, then older adds to targets that the compact state does not list. */
function linksOlderThan(message: SignedMessage, state: BatchState): StoredMessage[] {
  const { fid, timestamp } = message.data
  const linkType = linkTypeOf(message)
  const kept = new Set(targetsOf(message))
  const removes: StoredMessage[] = []
  const adds: StoredMessage[] = []
  for (const stored of state.storedMessagesOf(fid)) {
    if (stored.set !== MessageSet.links || stored.ts > timestamp) continue
    if (stored.type === MessageType.LINK_COMPACT_STATE) continue
    const link = stored.message().data.linkBody!
    if (link.type !== linkType) continue
    if (stored.type === MessageType.LINK_REMOVE) removes.push(stored)
    else if (!kept.has(link.targetFid!)) adds.push(stored)
  }
  return [...removes, ...adds]
}

/** Keeps what the displaced removes and the displaced compact state have ended for listed targets. */
function carryCutoffs(message: SignedMessage, displaced: readonly StoredMessage[], state: BatchState): void {
  const conflictKey = compactConflictKey(message)!
  const older = displaced.find(({ type }) => type === MessageType.LINK_COMPACT_STATE)
  const listedBefore = new Set(older ? targetsOf(older.message()) : [])
  const removedAt = new Map(
    displaced.flatMap((stored) => {
      const link = stored.type === MessageType.LINK_REMOVE ? stored.message().data.linkBody : undefined
      return link ? [[link.targetFid!, stored.ts] as const] : []
    }),
  )
  const cutoffs = new Map<number, number>()
  for (const targetFid of targetsOf(message)) {
    const wasUnlisted = older && !listedBefore.has(targetFid)
    const earlier = wasUnlisted ? older.ts : state.linkCutoffs.get(conflictKey, targetFid)
    const cutoff = Math.max(earlier, removedAt.get(targetFid) ?? NO_CUTOFF)
    if (cutoff > NO_CUTOFF) cutoffs.set(targetFid, cutoff)
  }
  state.linkCutoffs.replace(conflictKey, cutoffs)
}

function linkTypeOf({ data }: SignedMessage): string {
  return (data.linkBody ?? data.linkCompactStateBody)!.type
}

function targetsOf(compact: SignedMessage): readonly number[] {
  return compact.data.linkCompactStateBody!.targetFids
}
