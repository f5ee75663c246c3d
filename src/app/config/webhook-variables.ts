import { flag, integer } from './variable.js'

/** Webhooks. */
export const webhookVariables = {
  WEBHOOK_ALLOW_HTTP: flag({
    default: false,
    description: 'Whether webhooks may have targets without TLS (`http://`).',
  }),
  WEBHOOK_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'How long an attempt to deliver to a new webhook may take, in milliseconds.',
  }),
  WEBHOOK_RATE_LIMIT: integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 5_000,
    description: 'Deliveries per minute to a new webhook; what is over waits.',
  }),
  WEBHOOK_CONCURRENCY: integer({
    minimum: 1,
    maximum: 1_000,
    default: 32,
    description: 'Most deliveries to one webhook that are under way at once.',
  }),
  WEBHOOK_RETENTION_DAYS: integer({
    minimum: 1,
    maximum: 3650,
    default: 3,
    description: 'How many days the record of a delivery is kept once it has ended.',
  }),
  WEBHOOKS_PER_APP: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
    description: 'How many webhooks an app may have.',
  }),
}
