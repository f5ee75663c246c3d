import { flag, integer } from './variable.js'

/** Notifications of mini apps. */
export const notificationVariables = {
  ASYNC_NOTIFICATIONS_ENABLED: flag({
    default: false,
    description:
      'Whether mini app notifications to more than 100 tokens are queued; if not, the request waits for the last.',
  }),
  NOTIFICATION_INTERVAL_SECONDS: integer({
    minimum: 0,
    maximum: 86_400,
    default: 30,
    description:
      'Least time between two notifications to one token; what comes sooner counts as rate limited.',
  }),
  NOTIFICATIONS_PER_DAY: integer({
    minimum: 1,
    maximum: 100_000,
    default: 100,
    description: 'Most notifications to one token within 24 hours; what is over counts as rate limited.',
  }),
  NOTIFICATION_CONCURRENCY: integer({
    minimum: 1,
    maximum: 256,
    default: 8,
    description:
      'Most requests to one host of client apps that are under way at once, of up to 100 tokens each.',
  }),
  NOTIFICATION_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'How long a client app may take to answer, in milliseconds.',
  }),
}
