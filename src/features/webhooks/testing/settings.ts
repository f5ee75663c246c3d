import type { WebhookSettings } from '../webhooks.js'

/** Settings that allow loopback over http, without rate limits. */
export const testWebhookSettings: WebhookSettings = {
  targetPolicy: { allowHttp: true, allowLoopback: true },
  httpTimeoutMs: 10_000,
  rateLimit: 5_000,
  rateLimitMs: 60_000,
  maxPerApp: 100,
}
