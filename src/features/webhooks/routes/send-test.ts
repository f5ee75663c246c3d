import { Type } from '@sinclair/typebox'
import { textEnum } from '../../../graph/view/schema/schema-type.js'
import { WebhookTestResponse } from '../../../graph/view/schema/webhook-delivery.js'
import { webhookEventKinds } from '../../../graph/view/schema/webhook-filters.js'
import { defineOperation } from '../../operation.js'
import { enqueueTestDelivery } from '../deliveries.js'
import { findWebhook } from '../webhooks.js'
import { unknownWebhookText, webhookIdParameter, webhookStore } from './webhook-parameters.js'

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
