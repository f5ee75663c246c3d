import { flag, integer } from './variable.js'

/** Variables of mini app notifications. */
export const notificationVariables = {
  ASYNC_NOTIFICATIONS_ENABLED: flag({
    default: false,
    description:
      'Queues mini app notifications to more than 100 tokens and replies with 202. Otherwise ' +
      'the request waits for the last of them.',
  }),
  NOTIFICATION_INTERVAL_SECONDS: integer({
    minimum: 0,
    maximum: 86_400,
    default: 30,
    description:
      'Minimum seconds between two notifications to one token. Earlier ones count as rate ' + 'limited.',
  }),
  NOTIFICATIONS_PER_DAY: integer({
    minimum: 1,
    maximum: 100_000,
    default: 100,
    description:
      'Maximum number of notifications to one token within 24 hours. More count as rate ' + 'limited.',
  }),
  NOTIFICATION_CONCURRENCY: integer({
    minimum: 1,
    maximum: 256,
    default: 8,
    description:
      'Maximum number of concurrent requests, of up to 100 tokens each, to one host of client ' + 'apps.',
  }),
  NOTIFICATION_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'Milliseconds that a client app may take to reply.',
  }),
}
