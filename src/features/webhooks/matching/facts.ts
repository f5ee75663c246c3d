/** The properties of an event that filters can select. Hashes are lowercase hex with `0x`. */
export type EventFacts = CastFacts | FollowFacts | ReactionFacts | TradeFacts | UserFacts

/** An added or removed cast. */
export interface CastFacts {
  readonly kind: 'cast.created' | 'cast.deleted'
  readonly authorFid: number
  /** 0 when unknown, as in the API. */
  readonly authorScore: number
  readonly mentionedFids: readonly number[]
  readonly parentFid: number | null
  readonly parentHash: string | null
  readonly parentUrl: string | null
  readonly rootParentUrl: string | null
  readonly embeddedFids: readonly number[]
  readonly embeddedHashes: readonly string[]
  readonly embeddedUrls: readonly string[]
  /** The text as the API shows it, with the names of mentioned users. */
  readonly text: string
}

/** A created or deleted follow. */
export interface FollowFacts {
  readonly kind: 'follow.created' | 'follow.deleted'
  readonly fid: number
  readonly targetFid: number
}

/** An added or removed like or recast. */
export interface ReactionFacts {
  readonly kind: 'reaction.created' | 'reaction.deleted'
  readonly fid: number
  /** The author of the cast. */
  readonly targetFid: number
  readonly targetHash: string
}

/** A trade. */
export interface TradeFacts {
  readonly kind: 'trade.created'
  /** Null when the trader is not a user. */
  readonly fid: number | null
  readonly amountUsdc: number
  readonly traderScore: number
}

/** A registered or changed user. */
export interface UserFacts {
  readonly kind: 'user.created' | 'user.updated'
  readonly fid: number
}
