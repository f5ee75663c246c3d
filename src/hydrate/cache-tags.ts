import { HubEventType, MessageType, UserDataType } from '@farcaster/core'
import type { HubEventBody } from '../hub/log/hub-event.js'
import type { SignedMessage } from '../protocol/message.js'
import { netChanges } from '../social/net-changes.js'
import { viewerTag } from './ready-viewers.js'

/**
 * Which views events make untrue, as the tags that the hydrator's caches know. Null when that cannot be told
 * from the events: then everything is dropped.
 */
export function tagsOf(events: readonly { readonly body: HubEventBody }[]): string[] | null {
  const tags = new Set<string>()
  for (const { body } of events) {
    if (body.type === HubEventType.MERGE_ON_CHAIN_EVENT) tags.add(`user:${body.onChainEvent.fid}`)
    // The log does not say which links it displaced, and so not whose counters have changed.
    if (isCompactState(body)) return null
  }
  const { added, removed } = netChanges(events)
  for (const message of [...added, ...removed]) addMessageTags(message, tags)
  return [...tags]
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
