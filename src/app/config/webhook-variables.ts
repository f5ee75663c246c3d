import { flag, integer } from './variable.js'

/** Variables of webhooks. */
export const webhookVariables = {
  WEBHOOK_ALLOW_HTTP: flag('Allows webhooks to have target URLs without TLS (`http://`).', false),
  WEBHOOK_TIMEOUT_MS: integer(
    'Milliseconds that a delivery attempt may take. Applies to webhooks created from then on.',
    { minimum: 100, maximum: 60_000, default: 10_000 },
  ),
  WEBHOOK_RATE_LIMIT: integer(
    'Deliveries per minute to one webhook; more wait. Applies to webhooks created from then on.',
    { minimum: 1, maximum: 1_000_000_000, default: 5_000 },
  ),
  WEBHOOK_CONCURRENCY: integer('Maximum number of concurrent deliveries to one webhook.', {
    minimum: 1,
    maximum: 1_000,
    default: 32,
  }),
  WEBHOOK_MAX_WAIT_DAYS: integer(
    'Days that a delivery waits for its turn at most, as when a webhook gets more events than its rate limit lets through. ' +
      'Then it has failed.',
    { minimum: 1, maximum: 3650, default: 7 },
  ),
  WEBHOOK_RETENTION_DAYS: integer('Days that finished deliveries stay in the delivery log.', {
    minimum: 1,
    maximum: 3650,
    default: 3,
  }),
  WEBHOOKS_PER_APP: integer('Maximum number of webhooks of an app.', {
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
  }),
}

/** Variables of mini app notifications. */
export const notificationVariables = {
  ASYNC_NOTIFICATIONS_ENABLED: flag(
    'Queues mini app notifications to more than 100 tokens and replies with 202. Otherwise the request waits ' +
      'for the last of them.',
    false,
  ),
  NOTIFICATION_INTERVAL_SECONDS: integer(
    'Minimum seconds between two notifications to one token. Earlier ones count as rate limited.',
    { minimum: 0, maximum: 86_400, default: 30 },
  ),
  NOTIFICATIONS_PER_DAY: integer(
    'Maximum number of notifications to one token within 24 hours. More count as rate limited.',
    { minimum: 1, maximum: 100_000, default: 100 },
  ),
  NOTIFICATION_CONCURRENCY: integer(
    'Maximum number of concurrent requests, of up to 100 tokens each, to one host of client apps.',
    { minimum: 1, maximum: 256, default: 8 },
  ),
  NOTIFICATION_TIMEOUT_MS: integer('Milliseconds that a client app may take to reply.', {
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
  }),
}
