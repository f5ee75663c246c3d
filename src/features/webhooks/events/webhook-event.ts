import type { WebhookEventKind } from '../../../graph/view/schema/webhook-filters.js'
import type { SignedMessage } from '../../../protocol/message.js'

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
}

/** The subject of an event. */
export type EventSubject = CastSubject | FollowSubject | ReactionSubject | UserSubject | TradeSubject

/** The cast itself, since it may be deleted before delivery. */
export interface CastSubject {
  readonly type: 'cast'
  readonly message: SignedMessage
}

/** The follower and the followed user. */
export interface FollowSubject {
  readonly type: 'follow'
  readonly fid: number
  readonly targetFid: number
}

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

/** The user that registered or changed. */
export interface UserSubject {
  readonly type: 'user'
  readonly fid: number
}

/** A trade as reported by the chain follower. */
export interface TradeSubject {
  readonly type: 'trade'
  readonly fid: number | null
  readonly amountUsdc: number
  /** The member `data` of the body, without `trader`. */
  readonly data: Readonly<Record<string, unknown>>
}
