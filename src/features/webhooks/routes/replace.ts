import { Type } from '@sinclair/typebox'
import { WebhookResponse } from '../../../graph/view/schema/webhook.js'
import { WebhookSubscriptionFilters } from '../../../graph/view/schema/webhook-filters.js'
import { defineOperation } from '../../operation.js'
import { replaceWebhook } from '../webhooks.js'
import {
  duplicateWebhookText,
  nameParameter,
  unknownWebhookText,
  urlParameter,
  webhookIdParameter,
  webhookStore,
} from './webhook-parameters.js'
import { webhookReply } from './webhook-reply.js'

/** `PUT webhook` */
export const webhookReplace = defineOperation({
  method: 'PUT',
  path: 'webhook',
  tag: 'Webhook',
  summary: 'Give a webhook another name, target and subscription',
  description: 'Without a subscription the one that it has stays.',
  body: Type.Object({
    webhook_id: webhookIdParameter,
    name: nameParameter,
    url: urlParameter,
    subscription: Type.Optional(WebhookSubscriptionFilters),
  }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,
  conflict: duplicateWebhookText,

  async handle(context, { webhook_id, name, url, subscription }, { appId }) {
    const details = { title: name, targetUrl: url, filters: subscription }
    const webhook = await replaceWebhook(webhookStore(context), appId, webhook_id, details)
    return webhookReply('webhook replaced', webhook)
  },
})
