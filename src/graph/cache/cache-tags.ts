import { HubEventType, MessageType, ReactionType, UserDataType } from '@farcaster/core'
import type { HubEventBody } from '../../hub/log/hub-event.js'
import type { SignedMessage } from '../../protocol/message.js'
import { netChanges } from '../project/net-changes.js'
import { viewerTag } from './viewer-cache.js'

/** Which views are untrue after events. */
export interface StaleViews {
  /** As the hydrator's caches know them. */
  readonly tags: readonly string[]
  /** Who has cast or recast, or has taken it back. */
  readonly authors: readonly number[]
}

/**
 * The tag of everything that shows the short form of a user, and nothing else of it. Whoever is known to many gains
 * followers all the time, which this form does not tell.
 */
export function dehydratedUserTag(fid: number): string {
  return `short:${fid}`
}

/**
 * The tag of casts that stand below a reply. When a reply goes, all that is below it loses the thread, and no event
 * tells which thread that was.
 */
export const replyRemovedTag = 'reply gone'

/** Which views events make untrue. Null when that cannot be told from the events: then everything is dropped. */
export function findStaleViews(events: readonly { readonly body: HubEventBody }[]): StaleViews | null {
  const tags = new Set<string>()
  const authors = new Set<number>()
  for (const { body } of events) {
    if (body.type === HubEventType.MERGE_ON_CHAIN_EVENT) {
      tags.add(`user:${body.onChainEvent.fid}`)
      tags.add(dehydratedUserTag(body.onChainEvent.fid))
    }
    // The log does not say which links it displaced, and so not whose counters have changed.
    if (isCompactState(body)) return null
  }
  const { added, removed } = netChanges(events)
  if (removed.some(({ data }) => data.castAddBody?.parentCastId)) tags.add(replyRemovedTag)
  for (const message of [...added, ...removed]) {
    addMessageTags(message, tags)
    if (isFeedEntry(message)) authors.add(message.data.fid)
  }
  return { tags: [...tags], authors: [...authors] }
}

function isFeedEntry({ data }: SignedMessage): boolean {
  return data.type === MessageType.CAST_ADD || data.reactionBody?.type === ReactionType.RECAST
}

function isCompactState(body: HubEventBody): boolean {
  return body.type === HubEventType.MERGE_MESSAGE && body.message.data.type === MessageType.LINK_COMPACT_STATE
}

function addMessageTags({ data, hash }: SignedMessage, tags: Set<string>): void {
  switch (data.type) {
    case MessageType.CAST_ADD: {
      const { parentCastId: parent, parentUrl } = data.castAddBody!
      tags.add(`cast:${hash.toString('hex')}`)
      tags.add(`thread:${hash.toString('hex')}`)
      if (parent) tags.add(`cast:${hexOf(parent.hash)}`)
      if (parentUrl) tags.add(`feed:${parentUrl}`)
      return
    }
    case MessageType.REACTION_ADD: {
      const target = data.reactionBody!.targetCastId
      tags.add(viewerTag(data.fid))
      if (target) tags.add(`cast:${hexOf(target.hash)}`)
      return
    }
    case MessageType.LINK_ADD:
      tags.add(`user:${data.fid}`)
      tags.add(`user:${data.linkBody!.targetFid}`)
      tags.add(viewerTag(data.fid))
      tags.add(viewerTag(data.linkBody!.targetFid!))
      return
    case MessageType.USER_DATA_ADD: {
      const { type, value } = data.userDataBody!
      tags.add(`user:${data.fid}`)
      tags.add(dehydratedUserTag(data.fid))
      if (type === UserDataType.USERNAME && value !== '') tags.add(`name:${value}`)
      return
    }
    default:
      tags.add(`user:${data.fid}`)
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
