import { u64be } from '../protocol/bytes.js'
import { type CastId, type MessageData, MessageType } from '../protocol/definitions.js'
import { castOrUrlBytes } from '../protocol/kinds/target.js'

/**
 * The targets of messages, for reverse lookups: the parent of a cast, the target of a reaction or link
 * (column `target` of `hub.messages`), and the users that a cast mentions (`hub.cast_mentions`). Only adds
 * have a target.
 *
 * A target starts with a byte for the kind of message, so that one index serves all kinds.
 */
const targetPrefix = { cast: 0x01, reaction: 0x02, link: 0x03 } as const

/** A cast, or a URL. */
export type Target = { readonly castId: CastId } | { readonly url: string }

/** The target of casts with this parent. */
export function castParentKey(parent: Target): Buffer {
  return Buffer.concat([Buffer.from([targetPrefix.cast]), castOrUrlBytes(parent)])
}

/** The target of reactions of one type. */
export function reactionTargetKey(reactionType: number, target: Target): Buffer {
  return Buffer.concat([Buffer.from([targetPrefix.reaction, reactionType]), castOrUrlBytes(target)])
}

/** The target of links of one type. */
export function linkTargetKey(linkType: string, targetFid: number): Buffer {
  return Buffer.concat([Buffer.from([targetPrefix.link]), Buffer.from(`${linkType}\0`), u64be(targetFid)])
}

/** The `target` of a message; null when no query looks it up. */
export function messageTarget(data: MessageData): Buffer | null {
  switch (data.type) {
    case MessageType.CAST_ADD: {
      const { parentCastId, parentUrl } = data.castAddBody!
      const parent = toTarget(parentCastId, parentUrl)
      return parent && castParentKey(parent)
    }
    case MessageType.REACTION_ADD: {
      const { type, targetCastId, targetUrl } = data.reactionBody!
      const target = toTarget(targetCastId, targetUrl)
      return target && reactionTargetKey(type, target)
    }
    case MessageType.LINK_ADD: {
      const { type, targetFid } = data.linkBody!
      return linkTargetKey(type, targetFid!)
    }
    default:
      return null
  }
}

/** The fids that a cast mentions, each once. */
export function mentionedFids(data: MessageData): number[] {
  return data.type === MessageType.CAST_ADD ? [...new Set(data.castAddBody!.mentions)] : []
}

function toTarget(castId: CastId | undefined, url: string | undefined): Target | null {
  if (castId) return { castId }
  return url ? { url } : null
}
