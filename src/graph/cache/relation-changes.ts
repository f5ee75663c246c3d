import { HubEventType, MessageType, ReactionType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { linkType } from '../project/links.js'
import { netChanges } from '../project/net-changes.js'
import type { CommittedBlock } from './block-sequence.js'
import { MAX_FID, type UserSets } from './user-sets.js'

/** Changes of a block in the relations of users. */
export interface RelationChanges {
  readonly added: readonly SignedMessage[]
  readonly removed: readonly SignedMessage[]
  /** Whole lists of links, by which links that the log does not name were removed. */
  readonly compactStates: readonly SignedMessage[]
}

/** Sets by fid. To delete a user is to read it again. */
export type SetsByFid = Pick<Map<number, UserSets>, 'get' | 'delete' | 'values'>

/** Reduces a block to what changes relations, as the projections of links and reactions do. */
export function relationChangesOf({ bodies }: CommittedBlock): RelationChanges {
  const { added, removed } = netChanges(bodies.map((body) => ({ body })))
  const compactStates = bodies.flatMap((body) =>
    body.type === HubEventType.MERGE_MESSAGE && body.message.data.type === MessageType.LINK_COMPACT_STATE
      ? [body.message]
      : [],
  )
  return { added: added.filter(isRelation), removed: removed.filter(isRelation), compactStates }
}

function isRelation({ data }: SignedMessage): boolean {
  return data.type === MessageType.LINK_ADD || data.reactionBody?.targetCastId !== undefined
}

/** Applies changes to the sets of users that there are. A block changes each set once. */
export function applyChanges({ added, removed, compactStates }: RelationChanges, sets: SetsByFid): void {
  for (const message of removed) applyMessage(message, false, sets)
  for (const message of added) applyMessage(message, true, sets)
  for (const message of compactStates) applyCompactState(message, sets)
}

function applyMessage({ data }: SignedMessage, isAdded: boolean, sets: SetsByFid): void {
  const { fid, timestamp, linkBody, reactionBody } = data
  if (reactionBody) {
    const user = sets.get(fid)
    if (!user) return
    const reactions = reactionBody.type === ReactionType.LIKE ? user.liked : user.recasted
    const target = reactionBody.targetCastId!
    const hash = Buffer.from(target.hash).toString('hex')
    if (isAdded) reactions.add(hash, target.fid)
    else reactions.delete(hash, target.fid)
    return
  }
  const { type } = linkBody!
  const target = linkBody!.targetFid!
  if (type !== linkType.follow && type !== linkType.block) return
  if (fid > MAX_FID || target > MAX_FID) {
    sets.delete(fid)
    sets.delete(target)
    return
  }
  const [user, other] = [sets.get(fid), sets.get(target)]
  if (type === linkType.follow) {
    if (isAdded) user?.addFollowed(target, timestamp)
    else user?.removeFollowed(target, timestamp)
  } else if (isAdded) user?.blocking.tuples.add(target)
  else user?.blocking.tuples.delete(target)
  const inverse = type === linkType.follow ? other?.followers : other?.blockers
  if (isAdded) inverse?.tuples.add(fid)
  else inverse?.tuples.delete(fid)
}

/**
 * Deletes the sets that a compact state may have changed: those of its user, and those of the users outside its list
 * whom it follows or blocks as far as the sets know.
 */
function applyCompactState({ data }: SignedMessage, sets: SetsByFid): void {
  const { fid } = data
  const { type, targetFids } = data.linkCompactStateBody!
  if (type !== linkType.follow && type !== linkType.block) return
  sets.delete(fid)
  const listed = new Set(targetFids)
  for (const user of sets.values()) {
    const inverse = type === linkType.follow ? user.followers : user.blockers
    if (inverse.has(fid) && !listed.has(user.fid)) sets.delete(user.fid)
  }
}
