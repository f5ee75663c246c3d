import { flag, integer } from './variable.js'

/** Variables of webhooks. */
export const webhookVariables = {
  WEBHOOK_ALLOW_HTTP: flag({
    default: false,
    description: 'Allows webhooks to have target URLs without TLS (`http://`).',
  }),
  WEBHOOK_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'Milliseconds that a delivery attempt may take. Applies to webhooks created from then on.',
  }),
  WEBHOOK_RATE_LIMIT: integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 5_000,
    description:
      'Deliveries per minute to one webhook; more wait. Applies to webhooks created from then ' + 'on.',
  }),
  WEBHOOK_CONCURRENCY: integer({
    minimum: 1,
    maximum: 1_000,
    default: 32,
    description: 'Maximum number of concurrent deliveries to one webhook.',
  }),
  WEBHOOK_RETENTION_DAYS: integer({
    minimum: 1,
    maximum: 3650,
    default: 3,
    description: 'Days that finished deliveries stay in the delivery log.',
  }),
  WEBHOOKS_PER_APP: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
    description: 'Maximum number of webhooks of an app.',
  }),
}
