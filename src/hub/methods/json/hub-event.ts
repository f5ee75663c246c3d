import { hexOf } from '../../../protocol/bytes.js'
import {
  type HubEvent,
  type MergeMessageBody,
  type MergeUserNameProofBody,
  type Message,
  MessageType,
} from '../../../protocol/definitions.js'
import { blockOf, tryDecodeHubEvent } from '../../log/hub-event.js'
import type { StoredHubEvent } from '../../log/read.js'
import { channelOwnerChangeCauseNames, hubEventTypeNames, nameOf } from './enum-names.js'
import { decodeData, messageJson, usernameProofJson } from './message.js'
import { onChainEventJson } from './onchain-event.js'

/** An event of the log in the JSON of the hub API (docs/protocol.md §1.1). */
export interface HubEventJson {
  readonly type: string
  readonly id: number
  readonly blockNumber: number
  readonly shardIndex: number
}

/**
 * Maps an event to JSON. Type, id and shard are those of the row, not of the bytes; `blockNumber` follows
 * from the id, as in the reference node.
 *
 * An event that cannot be decoded has no body. Its id stays in the page, so that readers neither stop at it
 * nor miss it.
 */
export function hubEventJson(stored: StoredHubEvent): HubEventJson {
  return {
    type: nameOf(hubEventTypeNames, stored.type),
    id: stored.id,
    ...bodyJson(tryDecodeHubEvent(stored.event)),
    blockNumber: blockOf(stored.id),
    shardIndex: stored.shard,
  }
}

function bodyJson(event: HubEvent | null): Record<string, unknown> {
  if (event === null) return {}
  if (event.mergeMessageBody) return withMessage(event.mergeMessageBody, 'mergeMessageBody', mergeJson)
  if (event.blockConfirmedBody) {
    const body = event.blockConfirmedBody
    return {
      blockConfirmedBody: {
        blockNumber: body.blockNumber,
        shardIndex: body.shardIndex,
        timestamp: body.timestamp,
        blockHash: hexOf(body.blockHash),
        totalEvents: body.totalEvents,
      },
    }
  }
  if (event.pruneMessageBody) return withMessage(event.pruneMessageBody, 'pruneMessageBody')
  if (event.revokeMessageBody) return withMessage(event.revokeMessageBody, 'revokeMessageBody')
  if (event.mergeFailure) {
    const { code, reason } = event.mergeFailure
    return withMessage(event.mergeFailure, 'mergeFailureBody', (message) => ({
      message: messageJson(message),
      code,
      reason,
    }))
  }
  if (event.mergeUsernameProofBody) {
    return { mergeUsernameProofBody: usernameProofMergeJson(event.mergeUsernameProofBody) }
  }
  if (event.mergeOnChainEventBody?.onChainEvent) {
    return {
      mergeOnChainEventBody: { onChainEvent: onChainEventJson(event.mergeOnChainEventBody.onChainEvent) },
    }
  }
  if (event.channelOwnerChangeHintBody) {
    const { channelKey, ownerAddress, cause } = event.channelOwnerChangeHintBody
    return {
      channelOwnerChangeHintBody: {
        channelKey,
        ownerAddress: hexOf(ownerAddress),
        cause: nameOf(channelOwnerChangeCauseNames, cause),
      },
    }
  }
  return {}
}

/** Maps a body that has a message. It is left out without the message, as in the reference node. */
function withMessage<Body extends { message?: Message | undefined }>(
  body: Body,
  key: string,
  map: (message: Message, body: Body) => object = (message) => ({ message: messageJson(message) }),
): Record<string, unknown> {
  return body.message === undefined ? {} : { [key]: map(body.message, body) }
}

function mergeJson(message: Message, body: MergeMessageBody): object {
  // A compact state may replace thousands of links. The reference node lists none of them.
  const isCompact =
    body.deletedMessages.length > 0 && decodeData(message)?.type === MessageType.LINK_COMPACT_STATE
  return {
    message: messageJson(message),
    deletedMessages: isCompact ? [] : body.deletedMessages.map(messageJson),
  }
}

/** Maps up to four members; any of them may be absent, also all (docs/protocol.md §1.1). */
function usernameProofMergeJson(body: MergeUserNameProofBody): object {
  return {
    usernameProof: body.usernameProof && usernameProofJson(body.usernameProof),
    deletedUsernameProof: body.deletedUsernameProof && usernameProofJson(body.deletedUsernameProof),
    usernameProofMessage: body.usernameProofMessage && messageJson(body.usernameProofMessage),
    deletedUsernameProofMessage:
      body.deletedUsernameProofMessage && messageJson(body.deletedUsernameProofMessage),
  }
}
