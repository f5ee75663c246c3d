import type { TargetPolicy } from '../../platform/outbound/target.js'

/** Operator settings of webhooks. */
export interface WebhookSettings {
  /** Which URLs events may be sent to. */
  readonly targetPolicy: TargetPolicy
  /** Defaults of a new webhook: timeout of an attempt, and attempts per `rateLimitMs`. */
  readonly httpTimeoutMs: number
  readonly rateLimit: number
  readonly rateLimitMs: number
  /** Most webhooks of one app. */
  readonly maxPerApp: number
}
