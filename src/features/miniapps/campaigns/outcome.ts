/**
 * What comes of a token of an audience: each has exactly one outcome in the end. `counts` says which of the three
 * counts of a campaign it belongs to, `retryable` whether the same user may be reached another time.
 */
export const outcomes = {
  success: { counts: 'success', retryable: false },
  /** The client does not know the token any more. */
  invalid_token: { counts: 'failure', retryable: false },
  /** By the client, or by us in its stead. */
  rate_limited: { counts: 'failure', retryable: true },
  /** The client says so, or has answered nothing that can be read. */
  failed: { counts: 'failure', retryable: true },
  /** An answer of another status than 2xx, or none. */
  http_error: { counts: 'failure', retryable: true },
  /** The user has switched notifications off. */
  disabled: { counts: 'not_attempted', retryable: false },
  /** The token had ended before. */
  invalid: { counts: 'not_attempted', retryable: false },
  /** Reached already under the same uuid, or about to be. */
  repeated: { counts: 'not_attempted', retryable: false },
  /** The campaign was canceled first. */
  canceled: { counts: 'not_attempted', retryable: false },
} as const satisfies Record<string, { counts: 'success' | 'failure' | 'not_attempted'; retryable: boolean }>

export type TokenOutcome = keyof typeof outcomes

/** The outcomes after which a user may be reached another time. */
export const retryableOutcomes = (Object.keys(outcomes) as TokenOutcome[]).filter(
  (outcome) => outcomes[outcome].retryable,
)
