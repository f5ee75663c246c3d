import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { WebhookRedeliverResponse } from '../../../graph/view/schema/webhook-delivery.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { redeliverOne, redeliverSince } from '../deliveries.js'
import { findWebhook } from '../webhooks.js'
import { deliveryIdParameter, webhookIdParameter, webhookStore } from './webhook-parameters.js'

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
