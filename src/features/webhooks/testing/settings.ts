import type { WebhookSettings } from '../settings.js'

/** Webhooks may be sent to loopback, over http, and are not held back. */
export const testWebhookSettings: WebhookSettings = {
  targetPolicy: { allowHttp: true, allowLoopback: true },
  httpTimeoutMs: 10_000,
  rateLimit: 5_000,
  rateLimitMs: 60_000,
  maxPerApp: 100,
}
