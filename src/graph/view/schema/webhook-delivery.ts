import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime } from './primitives.js'
import { nullable, textEnum } from './schema-type.js'
import { webhookEventKinds } from './webhook-filters.js'

/** The states of a delivery. */
export const deliveryStates = ['waiting', 'sending', 'delivered', 'failed', 'canceled'] as const

/** A delivery and its result. */
export const WebhookDelivery = Type.Object(
  {
    object: Type.Literal('webhook_delivery'),
    delivery_id: Type.String(),
    webhook_id: Type.String(),
    event_id: Type.String(),
    type: textEnum(webhookEventKinds),
    status: textEnum(deliveryStates, {
      description:
        '`waiting` for its first or next attempt; `canceled` when the webhook was switched off meanwhile.',
    }),
    attempts: Type.Integer({ description: 'How often it was sent.' }),
    response_code: nullable(Type.Integer({ description: 'The HTTP status of the last attempt.' })),
    failure: nullable(Type.String({ description: 'Why the last attempt failed.' })),
    latency_ms: nullable(Type.Integer({ description: 'How long the last attempt took.' })),
    event_timestamp: DateTime,
    created_at: DateTime,
    last_attempt_at: nullable(DateTime),
    next_attempt_at: nullable(DateTime),
  },
  { $id: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

/** A page of deliveries. */
export const WebhookDeliveriesResponse = Type.Object(
  { deliveries: Type.Array(WebhookDelivery), next: NextCursor },
  { $id: 'WebhookDeliveriesResponse' },
)

/** The number of deliveries that were queued again. */
export const WebhookRedeliverResponse = Type.Object(
  { message: Type.String(), success: Type.Boolean(), redelivered: Type.Integer() },
  { $id: 'WebhookRedeliverResponse' },
)

/** The test delivery that was sent. */
export const WebhookTestResponse = Type.Object(
  { message: Type.String(), success: Type.Boolean(), delivery_id: Type.String(), event_id: Type.String() },
  { $id: 'WebhookTestResponse' },
)

/** The events that a subscription would have received. */
export const WebhookPreviewResponse = Type.Object(
  {
    matched: Type.Integer({ description: 'Events that the filters match, of those that were looked at.' }),
    matched_by_type: Type.Record(Type.String(), Type.Integer()),
    looked_at: Type.Integer({
      description: 'Entries of the event log that were looked at, the newest first.',
    }),
    complete: Type.Boolean({ description: 'Whether that is all of the last three days.' }),
    since: nullable(DateTime),
    samples: Type.Array(
      Type.Object({
        type: textEnum(webhookEventKinds),
        event_id: Type.String(),
        data: Type.Unknown({ description: 'As the body of a delivery would hold it.' }),
      }),
    ),
  },
  { $id: 'WebhookPreviewResponse' },
)
