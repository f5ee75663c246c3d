import type { TargetPolicy } from '../../platform/outbound/target.js'

/** What the operator decides of webhooks. */
export interface WebhookSettings {
  /** Where events may be sent. */
  readonly targetPolicy: TargetPolicy
  /** What a new webhook gets: how long an attempt may take, and how many there may be in `rateLimitMs`. */
  readonly httpTimeoutMs: number
  readonly rateLimit: number
  readonly rateLimitMs: number
  /** How many webhooks an app may have. */
  readonly maxPerApp: number
}
