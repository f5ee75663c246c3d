import type { ConsumedEvent } from '../../hub/log/consumer-batch.js'
import { HubEventType, MessageType, ReactionType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { kinds } from './kinds.js'

/** The notifications that a batch of events may have changed, each once. */
export interface AffectedNotifications {
  /** Added or removed casts. */
  readonly casts: readonly Buffer[]
  /** Reaction groups by cast, author and kind. */
  readonly reactions: readonly AffectedReactions[]
  /** Users whose followers changed. */
  readonly followed: readonly number[]
  /** Users whose follows were replaced as a whole; the previous follows are unknown (docs/protocol.md §1.4). */
  readonly compacted: readonly number[]
}

/** The reactions of one kind to one cast. */
export interface AffectedReactions {
  readonly fid: number
  readonly hash: Buffer
  readonly kind: number
}

/** HubEventTypes that change notifications. */
export const inboxEventTypes = [
  HubEventType.MERGE_MESSAGE,
  HubEventType.PRUNE_MESSAGE,
  HubEventType.REVOKE_MESSAGE,
] as const

const FOLLOW = 'follow'

/**
 * Returns the notifications that events affect. Additions and removals are treated alike, since the read model decides.
 */
export function affectedBy(events: readonly ConsumedEvent[]): AffectedNotifications {
  const casts = new Map<string, Buffer>()
  const reactions = new Map<string, AffectedReactions>()
  const followed = new Set<number>()
  const compacted = new Set<number>()

  function addReactions(group: AffectedReactions): void {
    reactions.set(`${group.kind}/${group.fid}/${group.hash.toString('hex')}`, group)
  }

  function addAffected({ data, hash }: SignedMessage): void {
    switch (data.type) {
      case MessageType.CAST_ADD:
        casts.set(hash.toString('hex'), hash)
        // The reactions that came before it, or stay behind.
        for (const kind of [kinds.likes, kinds.recasts]) addReactions({ fid: data.fid, hash, kind })
        return
      case MessageType.REACTION_ADD: {
        const { type, targetCastId: target } = data.reactionBody!
        if (!target) return
        const kind = type === ReactionType.LIKE ? kinds.likes : kinds.recasts
        addReactions({ fid: target.fid, hash: Buffer.from(target.hash), kind })
        return
      }
      case MessageType.LINK_ADD:
        if (data.linkBody!.type === FOLLOW) followed.add(data.linkBody!.targetFid!)
        return
      case MessageType.LINK_COMPACT_STATE:
        if (data.linkCompactStateBody!.type === FOLLOW) compacted.add(data.fid)
        return
    }
  }

  for (const { body } of events) {
    if (body.type === HubEventType.MERGE_MESSAGE) {
      addAffected(body.message)
      for (const message of body.deletedMessages) addAffected(message)
    } else if (body.type === HubEventType.PRUNE_MESSAGE || body.type === HubEventType.REVOKE_MESSAGE) {
      addAffected(body.message)
    }
  }
  return {
    casts: [...casts.values()],
    reactions: [...reactions.values()],
    followed: [...followed],
    compacted: [...compacted],
  }
}
