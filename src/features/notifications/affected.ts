import { HubEventType, MessageType, ReactionType } from '@farcaster/core'
import type { ConsumedEvent } from '../../hub/log/consumer-batch.js'
import type { SignedMessage } from '../../protocol/message.js'
import { kinds } from './kinds.js'

/** What a batch of events is about: the notifications that may have changed. Everything is listed once. */
export interface AffectedNotifications {
  /** Casts that came or went. */
  readonly casts: readonly Buffer[]
  /** Groups of reactions: to which cast, of whom, and which kind. */
  readonly reactions: readonly AffectedReactions[]
  /** Whose followers came or went. */
  readonly followed: readonly number[]
  /** Whose follows were replaced as a whole: whom they had followed is not told (docs/protocol.md §1.4). */
  readonly compacted: readonly number[]
}

/** A group of reactions of one kind to one cast. */
export interface AffectedReactions {
  readonly fid: number
  readonly hash: Buffer
  readonly kind: number
}

/** The HubEventTypes by which notifications come and go. */
export const inboxEventTypes = [
  HubEventType.MERGE_MESSAGE,
  HubEventType.PRUNE_MESSAGE,
  HubEventType.REVOKE_MESSAGE,
] as const

const FOLLOW = 'follow'

/** What these events are about. Whether a thing came or went does not matter: the read model knows. */
export function affectedBy(events: readonly ConsumedEvent[]): AffectedNotifications {
  const casts = new Map<string, Buffer>()
  const reactions = new Map<string, AffectedReactions>()
  const followed = new Set<number>()
  const compacted = new Set<number>()

  function addAffected({ data, hash }: SignedMessage): void {
    switch (data.type) {
      case MessageType.CAST_ADD:
        casts.set(hash.toString('hex'), hash)
        return
      case MessageType.REACTION_ADD: {
        const { type, targetCastId: target } = data.reactionBody!
        if (!target) return
        const kind = type === ReactionType.LIKE ? kinds.likes : kinds.recasts
        const group = { fid: target.fid, hash: Buffer.from(target.hash), kind }
        reactions.set(`${kind}/${group.fid}/${group.hash.toString('hex')}`, group)
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
