import { presentWebhook } from '../present-webhook.js'
import type { Webhook } from '../webhooks.js'

/** The answer to what was done to a webhook. */
export function webhookReply(message: string, webhook: Webhook) {
  return { message, success: true, webhook: presentWebhook(webhook) }
}
