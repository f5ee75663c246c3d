import { Type } from '@sinclair/typebox'
import { WebhookResponse } from '../../../graph/view/schema/webhook.js'
import { defineOperation } from '../../operation.js'
import { findWebhook } from '../webhooks.js'
import { unknownWebhookText, webhookIdParameter, webhookStore } from './webhook-parameters.js'
import { webhookReply } from './webhook-reply.js'

/** `GET webhook` */
export const webhookLookup = defineOperation({
  method: 'GET',
  path: 'webhook',
  tag: 'Webhook',
  summary: 'A webhook',
  query: Type.Object({ webhook_id: webhookIdParameter }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id }, { appId }) {
    return webhookReply('webhook found', await findWebhook(webhookStore(context), appId, webhook_id))
  },
})
