import { Type } from '@sinclair/typebox'
import { WebhookResponse } from '../../../graph/view/schema/webhook.js'
import { defineOperation } from '../../operation.js'
import { deleteWebhook } from '../webhooks.js'
import { unknownWebhookText, webhookIdParameter, webhookStore } from './webhook-parameters.js'
import { webhookReply } from './webhook-reply.js'

/** `DELETE webhook` */
export const webhookDelete = defineOperation({
  method: 'DELETE',
  path: 'webhook',
  tag: 'Webhook',
  summary: 'Take a webhook away',
  body: Type.Object({ webhook_id: webhookIdParameter }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id }, { appId }) {
    return webhookReply('webhook deleted', await deleteWebhook(webhookStore(context), appId, webhook_id))
  },
})
