import { Type } from '@sinclair/typebox'
import { WebhookListResponse } from '../../../graph/view/schema/webhook.js'
import { defineOperation } from '../../operation.js'
import { presentWebhook } from '../present-webhook.js'
import { listWebhooks } from '../webhooks.js'
import { webhookStore } from './webhook-parameters.js'

/** `GET webhook/list` */
export const webhookList = defineOperation({
  method: 'GET',
  path: 'webhook/list',
  tag: 'Webhook',
  summary: 'All webhooks of the app',
  query: Type.Object({}),
  reply: WebhookListResponse,

  async handle(context, _query, { appId }) {
    return { webhooks: (await listWebhooks(webhookStore(context), appId)).map(presentWebhook) }
  },
})
