import type { ConsumedEvent } from '../../../hub/log/consumer-batch.js'
import { addressOfAuthKey } from '../../../protocol/auth-key.js'
import { hexOf } from '../../../protocol/bytes.js'
import {
  HubEventType,
  IdRegisterEventType,
  MessageType,
  type OnChainEvent,
  OnChainEventType,
  type SignerEventBody,
  SignerEventType,
} from '../../../protocol/definitions.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import type { WebhookEventKind } from '../schema/webhook-filters.js'
import type { EventSubject, WebhookEvent } from './webhook-event.js'

/** The log entries that create webhook events. */
export const webhookEventTypes: readonly number[] = [
  HubEventType.MERGE_MESSAGE,
  HubEventType.PRUNE_MESSAGE,
  HubEventType.REVOKE_MESSAGE,
  HubEventType.MERGE_ON_CHAIN_EVENT,
]

const SHORT_HASH_BYTES = 4

type EventWithoutId = Omit<WebhookEvent, 'id' | 'traceparent'>

/**
 * Derives webhook events from log entries, in order. A message that replaces one with the same content, such as a newer
 * follow of the same user, creates no event. Pruned and revoked messages create deletions.
 *
 * @param compactedFollows Follows removed by compact states, by `<shard>-<id>`; the log does not contain them.
 */
export function deriveWebhookEvents(
  logEvents: readonly ConsumedEvent[],
  compactedFollows: ReadonlyMap<string, readonly number[]> = new Map(),
): WebhookEvent[] {
  return logEvents.flatMap((event) => {
    const place = `${event.shard}-${event.id}`
    const id = `${place}-${shortHashOf(event.body)}`
    return eventsOfLogEntry(event, compactedFollows.get(place) ?? []).map((derived, index) => ({
      id: index === 0 ? id : `${id}-${index}`,
      ...derived,
      ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
    }))
  })
}

/** Returns the hash of the message or transaction: after a fail-over that lost log entries, other ones take their ids. */
function shortHashOf(body: ConsumedEvent['body']): string {
  switch (body.type) {
    case HubEventType.MERGE_MESSAGE:
    case HubEventType.PRUNE_MESSAGE:
    case HubEventType.REVOKE_MESSAGE:
      return Buffer.from(body.message.hash.subarray(0, SHORT_HASH_BYTES)).toString('hex')
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return Buffer.from(body.onChainEvent.transactionHash.subarray(0, SHORT_HASH_BYTES)).toString('hex')
    default:
      return ''
  }
}

function eventsOfLogEntry({ body }: ConsumedEvent, compactedFollows: readonly number[]): EventWithoutId[] {
  switch (body.type) {
    case HubEventType.MERGE_MESSAGE:
      return eventsOfMerge(body.message, body.deletedMessages, compactedFollows)
    case HubEventType.PRUNE_MESSAGE:
    case HubEventType.REVOKE_MESSAGE:
      return eventsOfContent(body.message, 'deleted', null)
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return eventsOfChainEvent(body.onChainEvent)
    default:
      return []
  }
}

function eventsOfMerge(
  message: SignedMessage,
  deleted: readonly SignedMessage[],
  compactedFollows: readonly number[],
): EventWithoutId[] {
  const messageTime = unixSecondsFromFarcasterSeconds(message.data.timestamp)
  const { type, fid } = message.data
  if (type === MessageType.LINK_COMPACT_STATE) {
    return compactedFollows.map((targetFid) => ({
      kind: 'follow.deleted',
      happenedAt: messageTime,
      subject: { type: 'follow', fid, targetFid },
    }))
  }
  // A newer profile entry replaces one with another value; every other replaced message says the same.
  const isReplacement = deleted.some(
    ({ data }) =>
      data.type === type &&
      (type !== MessageType.USER_DATA_ADD || data.userDataBody?.value === message.data.userDataBody?.value),
  )
  return [
    ...deleted
      .filter((other) => other.data.type !== type)
      .flatMap((other) => eventsOfContent(other, 'deleted', messageTime)),
    ...(isReplacement ? [] : eventsOfContent(message, 'created', messageTime)),
  ]
}

function eventsOfContent(
  message: SignedMessage,
  change: 'created' | 'deleted',
  happenedAt: number | null,
): EventWithoutId[] {
  const subject = subjectOf(message)
  if (subject === null) return []
  return [
    { kind: subject.type === 'user' ? 'user.updated' : `${subject.type}.${change}`, happenedAt, subject },
  ]
}

/** Returns the content of an add message; null for removals and for types without webhooks. */
function subjectOf(message: SignedMessage): Exclude<EventSubject, { type: 'trade' }> | null {
  const { type, fid, linkBody, reactionBody } = message.data
  switch (type) {
    case MessageType.CAST_ADD:
      return { type: 'cast', message }
    case MessageType.LINK_ADD:
      if (linkBody?.type !== 'follow' || linkBody.targetFid === undefined) return null
      return { type: 'follow', fid, targetFid: linkBody.targetFid }
    case MessageType.REACTION_ADD: {
      const target = reactionBody?.targetCastId
      // A URL target is not a cast, which the event would have to contain.
      if (!reactionBody || !target) return null
      const targetHash = hexOf(target.hash)
      return { type: 'reaction', fid, reactionType: reactionBody.type, targetFid: target.fid, targetHash }
    }
    case MessageType.USER_DATA_ADD:
    case MessageType.VERIFICATION_ADD_ETH_ADDRESS:
      return { type: 'user', fid }
    default:
      return null
  }
}

function eventsOfChainEvent(event: OnChainEvent): EventWithoutId[] {
  const kind = kindOfChainEvent(event)
  if (kind === null) return []
  return [{ kind, happenedAt: event.blockTimestamp, subject: { type: 'user', fid: event.fid } }]
}

function kindOfChainEvent(event: OnChainEvent): WebhookEventKind | null {
  switch (event.type) {
    case OnChainEventType.EVENT_TYPE_ID_REGISTER: {
      const { eventType } = event.idRegisterEventBody!
      if (eventType === IdRegisterEventType.REGISTER) return 'user.created'
      return eventType === IdRegisterEventType.TRANSFER ? 'user.updated' : null
    }
    case OnChainEventType.EVENT_TYPE_TIER_PURCHASE:
      return 'user.updated'
    case OnChainEventType.EVENT_TYPE_SIGNER:
      return isSignInKey(event.signerEventBody!) ? 'user.updated' : null
    default:
      return null
  }
}

/** Whether a key is a sign-in address. Only an addition says its type, so other events tell it by the form. */
function isSignInKey({ eventType, keyType, key }: SignerEventBody): boolean {
  if (eventType === SignerEventType.ADD) return keyType === KEY_TYPE_AUTH
  return addressOfAuthKey(key) !== null
}
