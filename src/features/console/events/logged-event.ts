import { tryDecodeHubEvent } from '../../../hub/log/hub-event.js'
import type { StoredHubEvent } from '../../../hub/log/read.js'
import {
  hubEventTypeNames,
  messageTypeNames,
  nameOf,
  onChainEventTypeNames,
} from '../../../hub/methods/json/enum-names.js'
import { decodeData } from '../../../hub/methods/json/message.js'
import { cutText } from '../../../platform/text/cut-text.js'
import { hexOf } from '../../../protocol/bytes.js'
import type { HubEvent, Message, MessageData } from '../../../protocol/definitions.js'
import { unixMsFromFarcasterSeconds } from '../../../protocol/time.js'
import type { LoggedEventJson } from '../schema/event-log.js'

/** Characters of a cast that a list shows. */
const MAX_SUMMARY = 120
const prefix = /^HUB_EVENT_TYPE_/
const messagePrefix = /^MESSAGE_TYPE_/

/** An event of the log as a row of a list. One that cannot be decoded has its place only. */
export function loggedEventJson({ shard, id, type, event: bytes }: StoredHubEvent): LoggedEventJson {
  const event = tryDecodeHubEvent(bytes)
  const message = event === null ? undefined : messageOf(event)
  const data = message === undefined ? null : decodeData(message)
  return {
    object: 'event',
    id: `${shard}:${id}`,
    shard,
    at: event === null ? null : new Date(unixMsFromFarcasterSeconds(event.timestamp)).toISOString(),
    type: nameOf(hubEventTypeNames, type).replace(prefix, ''),
    fid: fidOf(event, data),
    message_type: data === null ? null : nameOf(messageTypeNames, data.type).replace(messagePrefix, ''),
    hash: message === undefined ? null : hexOf(message.hash),
    summary: event === null ? 'cannot be decoded' : cutText(summaryOf(event, data), MAX_SUMMARY),
  }
}

/** The message that an event is about. */
export function messageOf(event: HubEvent): Message | undefined {
  return (
    event.mergeMessageBody?.message ??
    event.pruneMessageBody?.message ??
    event.revokeMessageBody?.message ??
    event.mergeFailure?.message ??
    event.mergeUsernameProofBody?.usernameProofMessage
  )
}

function fidOf(event: HubEvent | null, data: MessageData | null): number | null {
  if (data !== null) return data.fid
  const { mergeOnChainEventBody: chain, mergeUsernameProofBody: names } = event ?? {}
  return chain?.onChainEvent?.fid ?? names?.usernameProof?.fid ?? names?.deletedUsernameProof?.fid ?? null
}

function summaryOf(event: HubEvent, data: MessageData | null): string {
  const { mergeOnChainEventBody, mergeUsernameProofBody, blockConfirmedBody, mergeFailure } = event
  if (mergeFailure) return `${mergeFailure.code}: ${mergeFailure.reason}`
  if (data !== null) return messageSummary(data)
  if (mergeOnChainEventBody?.onChainEvent) {
    return nameOf(onChainEventTypeNames, mergeOnChainEventBody.onChainEvent.type)
  }
  const proof = mergeUsernameProofBody?.usernameProof ?? mergeUsernameProofBody?.deletedUsernameProof
  if (proof) return Buffer.from(proof.name).toString()
  if (blockConfirmedBody)
    return `block ${blockConfirmedBody.blockNumber}, ${blockConfirmedBody.totalEvents} events`
  return event.channelOwnerChangeHintBody?.channelKey ?? ''
}

function messageSummary({ castAddBody, linkBody, reactionBody, userDataBody }: MessageData): string {
  if (castAddBody) return castAddBody.text
  if (linkBody) return `${linkBody.type} ${linkBody.targetFid ?? ''}`
  if (reactionBody?.targetCastId) return hexOf(reactionBody.targetCastId.hash)
  return reactionBody?.targetUrl ?? userDataBody?.value ?? ''
}
