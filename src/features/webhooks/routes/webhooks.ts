import { Type } from '@sinclair/typebox'
import { textParameter, uuidParameter } from '../../../api/parameters.js'
import { textEnum } from '../../../graph/view/schema/primitives.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import { defineOperation, type Operation, type OperationContext } from '../../operation.js'
import { requireSavableTarget } from '../../savable-target.js'
import { traderScoreOf } from '../matching/filters.js'
import { type WebhookJson, WebhookListResponse, WebhookResponse } from '../schema/webhook.js'
import { WebhookSubscriptionFilters } from '../schema/webhook-filters.js'
import type { SigningSecret } from '../secrets.js'
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  replaceWebhook,
  rotateSecret,
  setWebhookActive,
  type Webhook,
} from '../webhooks.js'

/** The id of a delivery. */
export const deliveryIdParameter = uuidParameter({
  patternText: 'the delivery_id of a delivery',
  description: 'Id of the delivery.',
})

/** The id of a webhook. */
export const webhookIdParameter = uuidParameter({
  patternText: 'the webhook_id of a webhook',
  description: 'Id of the webhook.',
})

/** The error text of 404, and the documentation of 409. */
export const unknownWebhookText = 'there is no webhook with this webhook_id'
const duplicateWebhookText = 'The app has another webhook with the same URL and filters.'

/** Members of a webhook in requests of an app. */
const detailMembers = {
  name: textParameter({ maxLength: 256, description: 'Name of the webhook.', examples: ['new casts'] }),
  url: textParameter({
    maxLength: 2_048,
    description: 'Target of events: an https URL on the public internet, without credentials.',
    examples: ['https://garden.example.com/webhook'],
  }),
  subscription: Type.Optional(WebhookSubscriptionFilters),
}

/** The parts of the context that webhooks need. */
export function webhookStore({ writerDb, vault, webhooks }: OperationContext) {
  return { db: writerDb, vault, settings: webhooks }
}

/** `GET webhook` */
const webhookLookup = defineOperation({
  method: 'GET',
  path: 'webhook',
  tag: 'Webhooks',
  summary: 'Fetch a webhook',
  description: 'Returns one webhook of the app, with its secrets and its subscription.',
  query: Type.Object({ webhook_id: webhookIdParameter }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id }, { appId }) {
    return webhookReply('webhook found', await findWebhook(webhookStore(context), appId, webhook_id))
  },
})

/** `GET webhook/list` */
const webhookList = defineOperation({
  method: 'GET',
  path: 'webhook/list',
  tag: 'Webhooks',
  summary: 'Fetch webhooks of the app',
  description: 'All webhooks of the app that the API key belongs to, on one page.',
  query: Type.Object({}),
  reply: WebhookListResponse,

  async handle(context, _query, { appId }) {
    return { webhooks: (await listWebhooks(webhookStore(context), appId)).map(presentWebhook) }
  },
})

/** `POST webhook` */
const webhookCreate = defineOperation({
  method: 'POST',
  path: 'webhook',
  tag: 'Webhooks',
  summary: 'Create a webhook',
  description: 'The webhook gets events from now on. Without `subscription`, it gets only test events.',
  body: Type.Object(detailMembers),
  reply: WebhookResponse,
  conflict: duplicateWebhookText,

  async handle(context, { name, url, subscription }, { appId }) {
    await requireSavableTarget(context, url, 'url')
    const details = { title: name, targetUrl: url, filters: subscription }
    return webhookReply('webhook created', await createWebhook(webhookStore(context), appId, details))
  },
})

/** `PUT webhook` */
const webhookReplace = defineOperation({
  method: 'PUT',
  path: 'webhook',
  tag: 'Webhooks',
  summary: 'Update a webhook',
  description: 'Replaces name, URL and filters. Without `subscription`, the filters stay as they are.',
  body: Type.Object({ webhook_id: webhookIdParameter, ...detailMembers }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,
  conflict: duplicateWebhookText,

  async handle(context, { webhook_id, name, url, subscription }, { appId }) {
    await requireSavableTarget(context, url, 'url')
    const details = { title: name, targetUrl: url, filters: subscription }
    const webhook = await replaceWebhook(webhookStore(context), appId, webhook_id, details)
    return webhookReply('webhook updated', webhook)
  },
})

/** `PATCH webhook` */
const webhookActivation = defineOperation({
  method: 'PATCH',
  path: 'webhook',
  tag: 'Webhooks',
  summary: 'Update webhook status',
  description:
    'Activates or deactivates a webhook. Deactivating cancels waiting deliveries; after activation, `POST ' +
    'webhook/deliveries/redeliver` sends them.',
  body: Type.Object({
    webhook_id: webhookIdParameter,
    active: textEnum(['true', 'false'], { description: 'A string, not a boolean.' }),
  }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id, active }, { appId }) {
    const webhook = await setWebhookActive(webhookStore(context), appId, webhook_id, active === 'true')
    return webhookReply(webhook.active ? 'webhook activated' : 'webhook deactivated', webhook)
  },
})

/** `DELETE webhook` */
const webhookDelete = defineOperation({
  method: 'DELETE',
  path: 'webhook',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description: 'Deletes a webhook of the app. Deliveries that wait are not sent.',
  body: Type.Object({ webhook_id: webhookIdParameter }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id }, { appId }) {
    return webhookReply('webhook deleted', await deleteWebhook(webhookStore(context), appId, webhook_id))
  },
})

const MAX_GRACE_SECONDS = 30 * DAY_SECONDS

/** `POST webhook/secret/rotate` */
const webhookSecretRotate = defineOperation({
  method: 'POST',
  path: 'webhook/secret/rotate',
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook',
  description:
    'Creates a new signing secret. During the grace period deliveries are signed with both secrets, so ' +
    'that receivers can be changed without a refused delivery. This operation is Plaza’s own; the hosted ' +
    'API has none.',
  body: Type.Object({
    webhook_id: webhookIdParameter,
    grace_seconds: Type.Integer({
      minimum: 0,
      maximum: MAX_GRACE_SECONDS,
      default: DAY_SECONDS,
      description: 'Seconds that the old secret stays valid. 0 ends it at once, for example after a leak.',
    }),
  }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id, grace_seconds }, { appId }) {
    const webhook = await rotateSecret(webhookStore(context), appId, webhook_id, grace_seconds)
    return webhookReply('secret rotated', webhook)
  },
})

/** The reply to a change of a webhook. */
function webhookReply(message: string, webhook: Webhook) {
  return { message, success: true, webhook: presentWebhook(webhook) }
}

/** `expires_at` of secrets without expiry: the schema allows no null there. */
const NEVER = '9999-12-31T23:59:59.999Z'

/** Renders a webhook for the API. */
function presentWebhook(webhook: Webhook): WebhookJson {
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
  const score = traderScoreOf(trade)
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

/** Formats a duration as Go does: `10s`, `1m0s`, `1h0m0s`, `500ms`. */
function goDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const hourText = hours > 0 ? `${hours}h` : ''
  return `${hourText}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${(ms % 60_000) / 1000}s`
}

/** Operations on webhooks and their secrets. */
export const webhookOperations: readonly Operation[] = [
  webhookLookup,
  webhookList,
  webhookCreate,
  webhookReplace,
  webhookActivation,
  webhookDelete,
  webhookSecretRotate,
]
