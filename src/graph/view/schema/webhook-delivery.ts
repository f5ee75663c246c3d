import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime, Uuid } from './primitives.js'
import { namedObject, nullable, textEnum } from './schema-type.js'
import { webhookEventKinds } from './webhook-filters.js'

/** The states of a delivery. */
export const deliveryStates = ['waiting', 'sending', 'delivered', 'failed', 'canceled'] as const

const idString = Type.String({ examples: Uuid.examples })
const eventId = Type.String({ examples: ['cast.created-481516'] })

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
