import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { choiceParameter, pagingParameters } from '../../../api/parameters.js'
import { parseTime } from '../../../api/parse-time.js'
import { textEnum } from '../../../graph/view/schema/primitives.js'
import { PlazaError } from '../../../platform/errors.js'
import { workPrices } from '../../../platform/limits/work-prices.js'
import { defineOperation, type Operation } from '../../operation.js'
import { findDelivery, listDeliveries } from '../delivery-log.js'
import { checkFilters } from '../matching/filters.js'
import { previewFilters } from '../preview.js'
import { redeliverOne, redeliverSince } from '../redelivery.js'
import {
  deliveryStates,
  WebhookDeliveriesResponse,
  WebhookDeliveryResponse,
  WebhookPreviewResponse,
  WebhookRedeliverResponse,
  WebhookTestResponse,
} from '../schema/webhook.js'
import { WebhookSubscriptionFilters, webhookEventKinds } from '../schema/webhook-filters.js'
import { enqueueTestDelivery } from '../test-delivery.js'
import { findWebhook } from '../webhooks.js'
import { deliveryIdParameter, unknownWebhookText, webhookIdParameter, webhookStore } from './webhooks.js'

const cursors = cursorKind('webhook deliveries', keyPart.integer)

/** `GET webhook/deliveries` */
const webhookDeliveries = defineOperation({
  method: 'GET',
  path: 'webhook/deliveries',
  tag: 'Webhooks',
  summary: 'Fetch deliveries of a webhook',
  description:
    'Newest first. Finished deliveries are kept for `WEBHOOK_RETENTION_DAYS`. With `type` or `status`, a page may have fewer ' +
    'deliveries than its limit, also none, and a `next`: one request reads at most 20,000. This operation is Plaza’s ' +
    'own; the hosted API has none.',
  query: Type.Object({
    webhook_id: webhookIdParameter,
    status: Type.Optional(
      choiceParameter(deliveryStates, { description: 'Only deliveries with this status.' }),
    ),
    type: Type.Optional(choiceParameter(webhookEventKinds, { description: 'Only events of this type.' })),
    ...pagingParameters(100, 25),
  }),
  reply: WebhookDeliveriesResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id, status, type, limit, cursor }, { appId }) {
    const store = webhookStore(context)
    const [beforeSeq] = cursors.decode(cursor) ?? []
    const { id } = await findWebhook(store, appId, webhook_id)
    const { deliveries, next } = await listDeliveries(store.db, {
      webhookId: id,
      status,
      kind: type,
      limit,
      beforeSeq,
    })
    return {
      deliveries: deliveries.map(({ seq: _, ...delivery }) => delivery),
      next: { cursor: next === null ? null : cursors.encode([next]) },
    }
  },
})

/** `GET webhook/delivery` */
const webhookDelivery = defineOperation({
  method: 'GET',
  path: 'webhook/delivery',
  tag: 'Webhooks',
  summary: 'Fetch a delivery of a webhook',
  description:
    'One delivery, with the request and the response of its last attempt. This operation is Plaza’s own; the ' +
    'hosted API has none.',
  query: Type.Object({ delivery_id: deliveryIdParameter }),
  reply: WebhookDeliveryResponse,
  notFound: 'There is no such delivery.',

  async handle(context, { delivery_id }, { appId }) {
    const {
      delivery,
      request,
      response: body,
    } = await findDelivery(webhookStore(context), appId, delivery_id)
    const { response_code: status } = delivery
    return {
      delivery,
      request: request && { url: request.url, headers: { ...request.headers }, body: String(request.body) },
      response: status === null ? null : { status, body },
    }
  },
})

/** `POST webhook/deliveries/redeliver` */
const webhookRedeliver = defineOperation({
  method: 'POST',
  path: 'webhook/deliveries/redeliver',
  tag: 'Webhooks',
  summary: 'Redeliver webhook events',
  description:
    'Sends one delivery again, by `delivery_id`, whatever its result; or, by `webhook_id` and `since`, ' +
    'all deliveries that failed or were canceled. Deliveries keep their ids. This operation is Plaza’s ' +
    'own; the hosted API has none.',
  body: Type.Object({
    delivery_id: Type.Optional(deliveryIdParameter),
    webhook_id: Type.Optional({ ...webhookIdParameter, examples: [] }),
    since: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
        patternText: 'a time like 2026-11-01T00:00:00Z',
        description: 'Only deliveries queued since this time.',
        examples: [],
      }),
    ),
  }),
  reply: WebhookRedeliverResponse,
  notFound: 'There is no such delivery or webhook.',
  conflict: 'The webhook is inactive, or the delivery has not ended.',

  async handle(context, { delivery_id, webhook_id, since }, { appId }) {
    const store = webhookStore(context)
    if (delivery_id !== undefined && webhook_id === undefined && since === undefined) {
      await redeliverOne(store.db, appId, delivery_id)
      return { message: 'queued again', success: true, redelivered: 1 }
    }
    if (delivery_id !== undefined || webhook_id === undefined || since === undefined) {
      throw new PlazaError('bad_request.invalid_param', 'give delivery_id alone, or webhook_id and since', {
        property: delivery_id === undefined && webhook_id !== undefined ? 'since' : 'delivery_id',
      })
    }
    const from = parseTime('since', since)
    const redelivered = await redeliverSince(store.db, await findWebhook(store, appId, webhook_id), from)
    return { message: 'queued again', success: true, redelivered }
  },
})

/** `POST webhook/test` */
const webhookTest = defineOperation({
  method: 'POST',
  path: 'webhook/test',
  tag: 'Webhooks',
  summary: 'Send a test event to a webhook',
  description:
    'Sends a sample event, signed like any delivery, whatever the filters of the webhook. Its `event_id` ' +
    'starts with `test-`. `GET webhook/deliveries` shows the result. This operation is Plaza’s own; the ' +
    'hosted API has none.',
  body: Type.Object({
    webhook_id: webhookIdParameter,
    type: textEnum(webhookEventKinds, { description: 'Type of the event.', default: 'cast.created' }),
  }),
  reply: WebhookTestResponse,
  notFound: unknownWebhookText,
  conflict: 'The webhook is inactive.',

  async handle(context, { webhook_id, type }, { appId }) {
    const store = webhookStore(context)
    const webhook = await findWebhook(store, appId, webhook_id)
    const { deliveryId, eventId } = await enqueueTestDelivery(store.db, webhook, type, context.clock())
    return { message: 'test event queued', success: true, delivery_id: deliveryId, event_id: eventId }
  },
})

/** `POST webhook/preview` */
const webhookPreview = defineOperation({
  method: 'POST',
  path: 'webhook/preview',
  price: () => workPrices.preview,
  isChange: false,
  tag: 'Webhooks',
  summary: 'Preview the events that filters match',
  description:
    'Matches filters against the events of the last three days, newest first, for a few seconds and 5,000 trades at most; ' +
    '`complete` and `since` tell how far it came. Nothing is stored or sent. This operation is Plaza’s ' +
    'own; the hosted API has none.',
  body: Type.Object({
    subscription: WebhookSubscriptionFilters,
    samples: Type.Integer({ minimum: 0, maximum: 25, default: 5, description: 'Maximum number of samples.' }),
  }),
  reply: WebhookPreviewResponse,

  async handle({ db, hydrator, clock }, { subscription, samples }) {
    checkFilters(subscription)
    const preview = await previewFilters({ db, hydrator, clock }, subscription, samples)
    return {
      matched: [...preview.matched.values()].reduce((sum, count) => sum + count, 0),
      matched_by_type: Object.fromEntries(preview.matched),
      looked_at: preview.scannedEvents,
      complete: preview.isComplete,
      since: preview.sinceMs === null ? null : new Date(preview.sinceMs).toISOString(),
      samples: preview.samples.map(({ kind, id, data }) => ({
        type: kind,
        event_id: id,
        data: JSON.parse(data) as unknown,
      })),
    }
  },
})

/** Operations on deliveries of webhooks. */
export const deliveryOperations: readonly Operation[] = [
  webhookDeliveries,
  webhookDelivery,
  webhookRedeliver,
  webhookTest,
  webhookPreview,
]
