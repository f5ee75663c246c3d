import { type CastId, type MessageData, MessageType } from '@farcaster/core'

/**
 * What a message is found by from the other side, for the column `target` of `hub.messages` and the table
 * `hub.cast_mentions`: the parent of a cast, the target of a reaction, the target of a link, and whom a cast
 * mentions. Only adds can be found.
 *
 * A target starts with a byte that says of what kind of message, so that one index serves all.
 */
const targetPrefix = { cast: 0x01, reaction: 0x02, link: 0x03 } as const

/** A cast by its author and hash, or anything on the web by its address. */
export type Target = { readonly castId: CastId } | { readonly url: string }

/** Target of casts that reply to this parent. */
export function castParentTarget(parent: Target): Buffer {
  return Buffer.concat([Buffer.from([targetPrefix.cast]), targetBytes(parent)])
}

/** Target of reactions of one type. */
export function reactionTarget(reactionType: number, target: Target): Buffer {
  return Buffer.concat([Buffer.from([targetPrefix.reaction, reactionType]), targetBytes(target)])
}

/** Target of links of one type. */
export function linkTarget(linkType: string, targetFid: number): Buffer {
  return Buffer.concat([Buffer.from([targetPrefix.link]), Buffer.from(`${linkType}\0`), fidBytes(targetFid)])
}

/** The `target` of a message; null if nothing looks it up. */
export function messageTarget(data: MessageData): Buffer | null {
  switch (data.type) {
    case MessageType.CAST_ADD: {
      const { parentCastId, parentUrl } = data.castAddBody!
      const parent = toTarget(parentCastId, parentUrl)
      return parent && castParentTarget(parent)
    }
    case MessageType.REACTION_ADD: {
      const { type, targetCastId, targetUrl } = data.reactionBody!
      const target = toTarget(targetCastId, targetUrl)
      return target && reactionTarget(type, target)
    }
    case MessageType.LINK_ADD: {
      const { type, targetFid } = data.linkBody!
      return linkTarget(type, targetFid!)
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

function targetBytes(target: Target): Buffer {
  if ('url' in target) return Buffer.concat([Buffer.from([0x02]), Buffer.from(target.url)])
  const { fid, hash } = target.castId
  return Buffer.concat([Buffer.from([0x01]), fidBytes(fid), hash])
}

function fidBytes(fid: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(fid))
  return bytes
}
