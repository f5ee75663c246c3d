/**
 * What filters are held against: everything that they can ask of an event. Hashes are lower-case hex with `0x`.
 */
export type EventFacts = CastFacts | FollowFacts | ReactionFacts | TradeFacts | UserFacts

/** A cast that came or went. */
export interface CastFacts {
  readonly kind: 'cast.created' | 'cast.deleted'
  readonly authorFid: number
  /** 0 where none is known, as the API shows it. */
  readonly authorScore: number
  readonly mentionedFids: readonly number[]
  readonly parentFid: number | null
  readonly parentHash: string | null
  readonly parentUrl: string | null
  readonly rootParentUrl: string | null
  readonly embeddedFids: readonly number[]
  readonly embeddedHashes: readonly string[]
  readonly embeddedUrls: readonly string[]
  /** As the API shows it: with the names of whom it mentions. */
  readonly text: string
}

/** A follow that began or ended. */
export interface FollowFacts {
  readonly kind: 'follow.created' | 'follow.deleted'
  readonly fid: number
  readonly targetFid: number
}

/** A like or a recast that came or went. */
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
  /** Null when the trader is no user. */
  readonly fid: number | null
  readonly amountUsdc: number
  readonly traderScore: number
}

/** A user that registered, or changed. */
export interface UserFacts {
  readonly kind: 'user.created' | 'user.updated'
  readonly fid: number
}
