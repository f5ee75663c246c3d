/** Operator settings of mini app notifications. */
export interface CampaignSettings {
  /**
   * Whether audiences above `SYNCHRONOUS_TOKENS` are queued. Otherwise every request waits until all is sent.
   */
  readonly isAsync: boolean
  /**
   * Rate limits per token. Clients refuse more than one notification per 30 s and more than 100 a day; such
   * requests are not sent (docs/protocol.md §8.3).
   */
  readonly intervalSeconds: number
  readonly perDay: number
  /** Most concurrent requests to one client host. */
  readonly concurrency: number
  /** Timeout of a request to a client. */
  readonly timeoutMs: number
}

/** Larger audiences are queued when that is enabled (docs/compatibility.md §20.5). */
export const SYNCHRONOUS_TOKENS = 100

/** Tokens in one request to a client (docs/protocol.md §8.3). */
export const TOKENS_PER_BATCH = 100
