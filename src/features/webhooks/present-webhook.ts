import type { Webhook as WebhookView } from '../../graph/view/schema/webhook.js'
import type { WebhookSubscriptionFilters } from '../../graph/view/schema/webhook-filters.js'
import type { SigningSecret } from './secrets.js'
import type { Webhook } from './webhooks.js'

/** `expires_at` of secrets without expiry: the schema allows no null there. */
const NEVER = '9999-12-31T23:59:59.999Z'

/** Renders a webhook for the API. */
export function presentWebhook(webhook: Webhook): WebhookView {
  const { filters } = webhook
  return {
    object: 'webhook',
    webhook_id: webhook.id,
    developer_uuid: webhook.developerUuid,
    target_url: webhook.targetUrl,
    title: webhook.title,
    description: webhook.disabledReason ?? '',
    active: webhook.active,
    secrets: webhook.secrets.map(presentSecret),
    http_timeout: goDuration(webhook.httpTimeoutMs),
    rate_limit: webhook.rateLimit,
    rate_limit_duration: goDuration(webhook.rateLimitMs),
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
    deleted_at: webhook.deletedAt?.toISOString() ?? null,
    ...(filters === null
      ? {}
      : {
          subscription: {
            object: 'webhook_subscription' as const,
            subscription_id: webhook.subscriptionId,
            filters: withBothNames(filters),
            created_at: webhook.subscribedAt.toISOString(),
            updated_at: webhook.subscriptionUpdatedAt.toISOString(),
          },
        }),
  }
}

/** Shows the score of a trade filter under both of its names (docs/compatibility.md §26). */
function withBothNames(filters: WebhookSubscriptionFilters): WebhookSubscriptionFilters {
  const trade = filters['trade.created']
  const score = trade?.minimum_trader_service_score ?? trade?.minimum_trader_neynar_score
  if (score === undefined) return filters
  const names = { minimum_trader_service_score: score, minimum_trader_neynar_score: score }
  return { ...filters, 'trade.created': { ...trade, ...names } }
}

function presentSecret({ uid, value, createdAt, updatedAt, expiresAt }: SigningSecret) {
  return {
    uid,
    value,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? NEVER,
    deleted_at: null,
  }
}

const units = [
  ['h', 3_600_000],
  ['m', 60_000],
] as const

/** Formats a duration as Go does: `10s`, `1m0s`, `1h0m0s`, `500ms`. */
function goDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  let rest = ms
  let text = ''
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    if (count > 0 || text !== '') text += `${count}${name}`
    rest -= count * size
  }
  return `${text}${rest / 1000}s`
}
