/**
 * Final outcomes of a token in an audience.
 *
 * `counts` names the count of the campaign that it belongs to; `retryable` says whether the user may be
 * reached later.
 */
export const outcomes = {
  success: { counts: 'success', retryable: false },
  /** The client no longer knows the token. */
  invalid_token: { counts: 'failure', retryable: false },
  /** By the client, or by us in its place. */
  rate_limited: { counts: 'failure', retryable: true },
  /** The client reported a failure or sent an unreadable response. */
  failed: { counts: 'failure', retryable: true },
  /** A status other than 2xx, or no response. */
  http_error: { counts: 'failure', retryable: true },
  /** The user has disabled notifications. */
  disabled: { counts: 'not_attempted', retryable: false },
  /** The token had ended before. */
  invalid: { counts: 'not_attempted', retryable: false },
  /** Reached under the same uuid already, or queued for it. */
  repeated: { counts: 'not_attempted', retryable: false },
  /** The campaign was canceled first. */
  canceled: { counts: 'not_attempted', retryable: false },
} as const satisfies Record<string, { counts: 'success' | 'failure' | 'not_attempted'; retryable: boolean }>

export type TokenOutcome = keyof typeof outcomes

/** Outcomes after which a user may be reached later. */
export const retryableOutcomes = (Object.keys(outcomes) as TokenOutcome[]).filter(
  (outcome) => outcomes[outcome].retryable,
)
