/** What the operator decides of notifications that mini apps send. */
export interface CampaignSettings {
  /** Whether an audience of more than `SYNCHRONOUS_TOKENS` is queued; if not, every request waits until all is sent. */
  readonly isAsync: boolean
  /**
   * How often one token may be used: clients refuse more than one notification in 30 s and more than 100 a day, and
   * what they would refuse is not sent (docs/protocol.md §8.3).
   */
  readonly intervalSeconds: number
  readonly perDay: number
  /** Most requests to one host of clients that are under way at once. */
  readonly concurrency: number
  /** How long a client may take to answer. */
  readonly timeoutMs: number
}

/** Larger audiences are queued, where that is switched on (docs/compatibility.md §20.5). */
export const SYNCHRONOUS_TOKENS = 100

/** Tokens in one request to a client (docs/protocol.md §8.3). */
export const TOKENS_PER_BATCH = 100
