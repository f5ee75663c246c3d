import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, cursorParameter, limitParameter } from '../../../api/parameters.js'
import { textEnum } from '../../../graph/view/schema/schema-type.js'
import {
  deliveryStates,
  WebhookDeliveriesResponse,
  WebhookPreviewResponse,
  WebhookRedeliverResponse,
  WebhookTestResponse,
} from '../../../graph/view/schema/webhook-delivery.js'
import { WebhookSubscriptionFilters, webhookEventKinds } from '../../../graph/view/schema/webhook-filters.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { enqueueTestDelivery, listDeliveries, redeliverOne, redeliverSince } from '../deliveries.js'
import { checkFilters } from '../filter-validation.js'
import { previewFilters } from '../preview.js'
import { findWebhook } from '../webhooks.js'
import { deliveryIdParameter, unknownWebhookText, webhookIdParameter, webhookStore } from './webhooks.js'

const cursors = cursorKind('webhook deliveries', keyPart.integer)

/** `GET webhook/deliveries` */
export const webhookDeliveries = defineOperation({
  method: 'GET',
  path: 'webhook/deliveries',
  tag: 'Webhook',
  summary: 'What was sent to a webhook, the newest first',
  description: 'Deliveries that have ended are kept for some days: `WEBHOOK_RETENTION_DAYS`.',
  query: Type.Object({
    webhook_id: webhookIdParameter,
    status: Type.Optional(choiceParameter(deliveryStates, { description: 'Only these.' })),
    type: Type.Optional(choiceParameter(webhookEventKinds, { description: 'Only of this kind of event.' })),
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
  }),
  reply: WebhookDeliveriesResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id, status, type, limit, cursor }, { appId }) {
    const store = webhookStore(context)
    const [beforeSeq] = cursors.decode(cursor) ?? []
    const { id } = await findWebhook(store, appId, webhook_id)
    const found = await listDeliveries(store.db, {
      webhookId: id,
      status,
      kind: type,
      limit: limit + 1,
      beforeSeq: beforeSeq ?? null,
    })
    const { page, next } = cursors.page(found, limit, (last) => [last.seq])
    return {
      deliveries: page.map(({ view }) => view),
      next,
    }
  },
})

/** `POST webhook/deliveries/redeliver` */
export const webhookRedeliver = defineOperation({
  method: 'POST',
  path: 'webhook/deliveries/redeliver',
  tag: 'Webhook',
  summary: 'Send deliveries anew',
  description:
    'One, by `delivery_id`, however it ended; or, by `webhook_id` and `since`, all that failed or were canceled. They ' +
    'keep their ids.',
  body: Type.Object({
    delivery_id: Type.Optional(deliveryIdParameter),
    webhook_id: Type.Optional(webhookIdParameter),
    since: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
        patternText: 'a moment like 2026-11-01T00:00:00Z',
        description: 'Those that were put in line since then.',
      }),
    ),
  }),
  reply: WebhookRedeliverResponse,
  notFound: 'There is no such delivery or webhook.',
  conflict: 'The webhook is off, or the delivery has not ended.',

  async handle(context, { delivery_id, webhook_id, since }, { appId }) {
    const store = webhookStore(context)
    if (delivery_id !== undefined && webhook_id === undefined && since === undefined) {
      await redeliverOne(store.db, appId, delivery_id)
      return { message: 'in line again', success: true, redelivered: 1 }
    }
    if (delivery_id !== undefined || webhook_id === undefined || since === undefined) {
      throw new PlazaError('bad_request.invalid_param', 'give delivery_id alone, or webhook_id and since', {
        property: delivery_id === undefined && webhook_id !== undefined ? 'since' : 'delivery_id',
      })
    }
    const from = new Date(since)
    if (Number.isNaN(from.getTime()))
      throw invalidField('since', 'must be a moment like 2026-11-01T00:00:00Z')
    const redelivered = await redeliverSince(store.db, await findWebhook(store, appId, webhook_id), from)
    return { message: 'in line again', success: true, redelivered }
  },
})

/** `POST webhook/test` */
export const webhookTest = defineOperation({
  method: 'POST',
  path: 'webhook/test',
  tag: 'Webhook',
  summary: 'Send a webhook a sample',
  description:
    'Signed like any other delivery, whatever the webhook is subscribed to; its `event_id` begins with `test-`. ' +
    '`GET webhook/deliveries` tells what became of it.',
  body: Type.Object({
    webhook_id: webhookIdParameter,
    type: textEnum(webhookEventKinds, { description: 'The kind of event.', default: 'cast.created' }),
  }),
  reply: WebhookTestResponse,
  notFound: unknownWebhookText,
  conflict: 'The webhook is off.',

  async handle(context, { webhook_id, type }, { appId }) {
    const store = webhookStore(context)
    const webhook = await findWebhook(store, appId, webhook_id)
    const { deliveryId, eventId } = await enqueueTestDelivery(store.db, webhook, type, context.clock())
    return { message: 'sample is being sent', success: true, delivery_id: deliveryId, event_id: eventId }
  },
})

/** `POST webhook/preview` */
export const webhookPreview = defineOperation({
  method: 'POST',
  path: 'webhook/preview',
  tag: 'Webhook',
  summary: 'What a subscription would have been told of',
  description:
    'Holds filters against the events of the last three days, from the newest backwards, for some seconds at most: ' +
    '`complete` and `since` say how far it came. Nothing is saved or sent.',
  body: Type.Object({
    subscription: WebhookSubscriptionFilters,
    samples: Type.Integer({ minimum: 0, maximum: 25, default: 5, description: 'How many events to show.' }),
  }),
  reply: WebhookPreviewResponse,

  async handle({ db, hydrator, clock }, { subscription, samples }) {
    checkFilters(subscription)
    const preview = await previewFilters({ db, hydrator }, { filters: subscription, samples, clock })
    return {
      matched: [...preview.matched.values()].reduce((sum, count) => sum + count, 0),
      matched_by_type: Object.fromEntries(preview.matched),
      looked_at: preview.scannedEvents,
      complete: preview.isComplete,
      since: preview.sinceMs === null ? null : new Date(preview.sinceMs).toISOString(),
      samples: preview.samples.map(({ kind, eventId, data }) => ({
        type: kind,
        event_id: eventId,
        data: JSON.parse(data) as unknown,
      })),
    }
  },
})
