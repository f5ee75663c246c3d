import type { WebhookEventKind } from '../../../graph/view/schema/webhook-filters.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** Something that webhooks are told of. */
export interface WebhookEvent {
  /**
   * The same however often the log is read: `<shard>-<event id>`, with `-<n>` behind it for what is not the first. Of a
   * trade: `trade-<network>-<transaction>-<log index>`.
   */
  readonly id: string
  readonly kind: WebhookEventKind
  /** In the protocol, in Unix seconds; null where the protocol gives no time, as for what storage had no room for. */
  readonly happenedAt: number | null
  readonly subject: EventSubject
}

/** What it is about. */
export type EventSubject = CastSubject | FollowSubject | ReactionSubject | UserSubject | TradeSubject

/** The cast itself, because it may be gone when it is told of. */
export interface CastSubject {
  readonly type: 'cast'
  readonly message: SignedMessage
}

/** Who follows, or did, whom. */
export interface FollowSubject {
  readonly type: 'follow'
  readonly fid: number
  readonly targetFid: number
}

/** Who reacts, or did, to what. */
export interface ReactionSubject {
  readonly type: 'reaction'
  readonly fid: number
  /** 1 like, 2 recast. */
  readonly reactionType: number
  readonly targetFid: number
  /** Lower-case hex with 0x. */
  readonly targetHash: string
}

/** Who is new, or other than before. */
export interface UserSubject {
  readonly type: 'user'
  readonly fid: number
}

/** A trade, as whoever watches the chain tells of it. */
export interface TradeSubject {
  readonly type: 'trade'
  readonly fid: number | null
  readonly amountUsdc: number
  /** The member `data` of the body, without `trader`. */
  readonly data: Readonly<Record<string, unknown>>
}
