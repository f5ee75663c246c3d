import { type Static, Type } from '@sinclair/typebox'
import { DateTime } from './primitives.js'
import { nullable } from './schema-type.js'
import { WebhookSubscriptionFilters } from './webhook-filters.js'

/** A secret that signs deliveries. */
export const WebhookSecret = Type.Object(
  {
    uid: Type.String(),
    value: Type.String({ description: 'The signing secret. Keep it like a password.' }),
    created_at: Type.String(),
    updated_at: Type.String(),
    expires_at: Type.String({ description: 'It signs until then. The year 9999: no end is set.' }),
    deleted_at: nullable(Type.String()),
  },
  { $id: 'WebhookSecret' },
)
export type WebhookSecret = Static<typeof WebhookSecret>

/** The events that a webhook receives. */
export const WebhookSubscription = Type.Object(
  {
    object: Type.Literal('webhook_subscription'),
    subscription_id: Type.String(),
    filters: WebhookSubscriptionFilters,
    created_at: DateTime,
    updated_at: DateTime,
  },
  { $id: 'WebhookSubscription' },
)

/** A URL that receives events. */
export const Webhook = Type.Object(
  {
    object: Type.Literal('webhook'),
    webhook_id: Type.String(),
    developer_uuid: Type.String(),
    target_url: Type.String(),
    title: Type.String(),
    description: Type.String({
      description: 'Why the server has switched the webhook off, if it has; else empty.',
    }),
    active: Type.Boolean(),
    secrets: Type.Array(WebhookSecret, { description: 'Those that sign now, the newest first.' }),
    http_timeout: Type.String({ description: 'How long an attempt may take: `10s`.' }),
    rate_limit: Type.Integer({
      format: 'int32',
      description: 'Attempts per `rate_limit_duration`. What is over waits.',
    }),
    rate_limit_duration: Type.String({ description: '`1m0s` is a minute.' }),
    created_at: DateTime,
    updated_at: DateTime,
    deleted_at: nullable(DateTime),
    subscription: Type.Optional(WebhookSubscription),
  },
  { $id: 'Webhook' },
)
export type Webhook = Static<typeof Webhook>

/** The reply of every operation on one webhook. */
export const WebhookResponse = Type.Object(
  {
    message: Type.Optional(Type.String()),
    success: Type.Optional(Type.Boolean()),
    webhook: Type.Optional(Webhook),
  },
  { $id: 'WebhookResponse' },
)
export type WebhookResponse = Static<typeof WebhookResponse>

/** The webhooks of an app. */
export const WebhookListResponse = Type.Object(
  { webhooks: Type.Array(Webhook) },
  { $id: 'WebhookListResponse' },
)
