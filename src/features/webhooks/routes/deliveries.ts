import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { choiceParameter, cursorParameter, limitParameter } from '../../../api/parameters.js'
import { deliveryStates, WebhookDeliveriesResponse } from '../../../graph/view/schema/webhook-delivery.js'
import { webhookEventKinds } from '../../../graph/view/schema/webhook-filters.js'
import { defineOperation } from '../../operation.js'
import { listDeliveries } from '../deliveries.js'
import { findWebhook } from '../webhooks.js'
import { unknownWebhookText, webhookIdParameter, webhookStore } from './webhook-parameters.js'

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
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return {
      deliveries: page.map(({ view }) => view),
      next: { cursor: last ? cursors.encode([last.seq]) : null },
    }
  },
})
