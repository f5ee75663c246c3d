import { type Static, Type } from '@sinclair/typebox'
import {
  DateTime,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
  Uuid,
} from '../../../graph/view/schema/primitives.js'
import { WebhookSubscriptionFilters, webhookEventKinds } from './webhook-filters.js'

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
export type WebhookJson = Static<typeof Webhook>

/** The reply of operations on one webhook. */
export const WebhookResponse = namedObject('WebhookResponse', {
  message: Type.Optional(Type.String({ examples: ['webhook found'] })),
  success: Type.Optional(Type.Boolean()),
  webhook: Type.Optional(Webhook),
})

/** The webhooks of an app. */
export const WebhookListResponse = namedObject('WebhookListResponse', { webhooks: Type.Array(Webhook) })

/** The states of a delivery. */
export const deliveryStates = ['waiting', 'sending', 'delivered', 'failed', 'canceled'] as const

const eventId = Type.String({ examples: ['1-16385-71d5225f'] })

/** A delivery of an event and its result. */
export const WebhookDelivery = namedObject('WebhookDelivery', {
  object: Type.Literal('webhook_delivery'),
  delivery_id: idString,
  webhook_id: idString,
  event_id: eventId,
  type: textEnum(webhookEventKinds),
  status: textEnum(deliveryStates, {
    description:
      '`waiting`: for its first or next attempt. `canceled`: the webhook was deactivated or deleted.',
    examples: ['delivered'],
  }),
  attempts: Type.Integer({ description: 'Number of attempts.', examples: [1] }),
  response_code: nullable(Type.Integer({ description: 'HTTP status of the last attempt.', examples: [200] })),
  failure: nullable(Type.String({ description: 'Error of the last attempt.' }), { examples: [null] }),
  latency_ms: nullable(Type.Integer({ description: 'Duration of the last attempt.', examples: [84] })),
  event_timestamp: DateTime,
  created_at: DateTime,
  last_attempt_at: nullable(DateTime),
  next_attempt_at: nullable(DateTime, { examples: [null] }),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

/** A page of deliveries. */
export const WebhookDeliveriesResponse = namedObject('WebhookDeliveriesResponse', {
  deliveries: Type.Array(WebhookDelivery),
  next: NextCursor,
})

/** A delivery with the request and the response of its last attempt. */
export const WebhookDeliveryResponse = namedObject('WebhookDeliveryResponse', {
  delivery: WebhookDelivery,
  request: nullable(
    Type.Object({
      url: Type.String({ examples: ['https://garden.example.com/webhook'] }),
      headers: Type.Record(Type.String(), Type.String(), { examples: [{ 'x-plaza-event': 'cast.created' }] }),
      body: Type.String({ examples: ['{"type":"cast.created","event_id":"1-16385-71d5225f"}'] }),
    }),
    {
      description:
        'As sent at the time of the last attempt, to the present URL and signed with the secrets that are valid now. Null ' +
        'until the first attempt.',
    },
  ),
  response: nullable(
    Type.Object({
      status: Type.Integer({ examples: [500] }),
      body: nullable(Type.String(), {
        description: 'The first 1,000 characters, if the attempt has failed.',
        examples: ['no such route'],
      }),
    }),
    { description: 'Null when the target has not replied.' },
  ),
})

/** The number of deliveries that were queued again. */
export const WebhookRedeliverResponse = namedObject('WebhookRedeliverResponse', {
  message: Type.String({ examples: ['queued again'] }),
  success: Type.Boolean(),
  redelivered: Type.Integer({ examples: [3] }),
})

/** A test delivery. */
export const WebhookTestResponse = namedObject('WebhookTestResponse', {
  message: Type.String({ examples: ['test event queued'] }),
  success: Type.Boolean(),
  delivery_id: idString,
  event_id: Type.String({ examples: ['test-0f6c5ea2'] }),
})

/** Recent events that filters match. */
export const WebhookPreviewResponse = namedObject('WebhookPreviewResponse', {
  matched: Type.Integer({ description: 'Matching events among those read.', examples: [12] }),
  matched_by_type: Type.Record(Type.String(), Type.Integer(), { examples: [{ 'cast.created': 12 }] }),
  looked_at: Type.Integer({
    description: 'Entries of the event log that were read, newest first.',
    examples: [48_000],
  }),
  complete: Type.Boolean({ description: 'Whether all of the last three days was read.' }),
  since: nullable(DateTime),
  samples: Type.Array(
    Type.Object({
      type: textEnum(webhookEventKinds),
      event_id: eventId,
      data: Type.Unknown({
        description: '`data` of the delivery.',
        examples: [{ object: 'cast', hash: '0x71d5225f77e0164388b1d4c120825f3a2c1f131c' }],
      }),
    }),
  ),
})
