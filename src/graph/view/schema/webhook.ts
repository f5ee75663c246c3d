import { type Static, Type } from '@sinclair/typebox'
import { DateTime, Uuid } from './primitives.js'
import { namedObject, nullable } from './schema-type.js'
import { WebhookSubscriptionFilters } from './webhook-filters.js'

const idString = Type.String({ examples: Uuid.examples })
const dateString = Type.String({ examples: DateTime.examples })

/** A signing secret of a webhook. */
export const WebhookSecret = namedObject('WebhookSecret', {
  uid: idString,
  value: Type.String({ description: 'The secret. Keep it like a password.', examples: ['whsec_9pQ2xYkL'] }),
  created_at: dateString,
  updated_at: dateString,
  expires_at: Type.String({
    description: 'End of its validity. The year 9999 stands for none.',
    examples: ['9999-12-31T23:59:59.000Z'],
  }),
  deleted_at: nullable(Type.String(), { examples: [null] }),
})

/** The subscription of a webhook. */
export const WebhookSubscription = namedObject('WebhookSubscription', {
  object: Type.Literal('webhook_subscription'),
  subscription_id: idString,
  filters: WebhookSubscriptionFilters,
  created_at: DateTime,
  updated_at: DateTime,
})

/** A target of events. */
export const Webhook = namedObject('Webhook', {
  object: Type.Literal('webhook'),
  webhook_id: idString,
  developer_uuid: idString,
  target_url: Type.String({ examples: ['https://garden.example.com/webhook'] }),
  title: Type.String({ examples: ['new casts'] }),
  description: Type.String({
    description: 'Reason if the server has deactivated the webhook, else empty.',
    examples: [''],
  }),
  active: Type.Boolean(),
  secrets: Type.Array(WebhookSecret, { description: 'Valid secrets, newest first.' }),
  http_timeout: Type.String({ description: 'Timeout of an attempt.', examples: ['10s'] }),
  rate_limit: Type.Integer({
    format: 'int32',
    description: 'Attempts per `rate_limit_duration`; more attempts wait.',
    examples: [1000],
  }),
  rate_limit_duration: Type.String({ description: 'Period of the rate limit.', examples: ['1m0s'] }),
  created_at: DateTime,
  updated_at: DateTime,
  deleted_at: nullable(DateTime, { examples: [null] }),
  subscription: Type.Optional(WebhookSubscription),
})
export type Webhook = Static<typeof Webhook>

/** The reply of operations on one webhook. */
export const WebhookResponse = namedObject('WebhookResponse', {
  message: Type.Optional(Type.String({ examples: ['webhook found'] })),
  success: Type.Optional(Type.Boolean()),
  webhook: Type.Optional(Webhook),
})

/** The webhooks of an app. */
export const WebhookListResponse = namedObject('WebhookListResponse', { webhooks: Type.Array(Webhook) })
