import { decodeStoredMessage, encodeMessage } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'
import type { WebhookEventKind } from '../schema/webhook-filters.js'

/** An event that webhooks can subscribe to. */
export interface WebhookEvent {
  /**
   * Stable id: `<shard>-<event id>`, followed by `-<n>` for further events of one log entry. For trades:
   * `trade-<network>-<transaction>-<log index>`.
   */
  readonly id: string
  readonly kind: WebhookEventKind
  /** Protocol time in Unix seconds; null when there is none, as for pruned messages. */
  readonly happenedAt: number | null
  readonly subject: EventSubject
  /** Trace context of the span that caused it, where that was traced. */
  readonly traceparent?: string
}

/** The subject of an event. A cast is kept whole, since it may be deleted before delivery. */
export type EventSubject =
  | { readonly type: 'cast'; readonly message: SignedMessage }
  | { readonly type: 'follow'; readonly fid: number; readonly targetFid: number }
  | { readonly type: 'user'; readonly fid: number }
  | ReactionSubject
  | TradeSubject

/** The reacting user and the target. */
export interface ReactionSubject {
  readonly type: 'reaction'
  readonly fid: number
  /** 1 for likes, 2 for recasts. */
  readonly reactionType: number
  readonly targetFid: number
  /** Lowercase hex with 0x. */
  readonly targetHash: string
}

/** A trade as reported by the chain follower. */
interface TradeSubject {
  readonly type: 'trade'
  readonly fid: number | null
  readonly amountUsdc: number
  /** The member `data` of the body, without `trader`. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A subject as JSON holds it: the message is encoded, in base64. */
export type StoredSubject =
  | Exclude<EventSubject, { type: 'cast' }>
  | { readonly type: 'cast'; readonly message: string }

/** Makes a subject ready to be stored. */
export function encodeSubject(subject: EventSubject): StoredSubject {
  if (subject.type !== 'cast') return subject
  return { type: 'cast', message: encodeMessage(subject.message).toString('base64') }
}

/** Reads a stored subject back. */
export function decodeSubject(stored: StoredSubject): EventSubject {
  if (stored.type !== 'cast') return stored
  return { type: 'cast', message: decodeStoredMessage(Buffer.from(stored.message, 'base64')) }
}
