import { Type } from '@sinclair/typebox'
import { WebhookResponse } from '../../../graph/view/schema/webhook.js'
import { WebhookSubscriptionFilters } from '../../../graph/view/schema/webhook-filters.js'
import { defineOperation } from '../../operation.js'
import { createWebhook } from '../webhooks.js'
import { duplicateWebhookText, nameParameter, urlParameter, webhookStore } from './webhook-parameters.js'
import { webhookReply } from './webhook-reply.js'

/** `POST webhook` */
export const webhookCreate = defineOperation({
  method: 'POST',
  path: 'webhook',
  tag: 'Webhook',
  summary: 'Make a webhook',
  description:
    'It is told of what happens from now on. Without a subscription it is told of nothing but tests.',
  body: Type.Object({
    name: nameParameter,
    url: urlParameter,
    subscription: Type.Optional(WebhookSubscriptionFilters),
  }),
  reply: WebhookResponse,
  conflict: duplicateWebhookText,

  async handle(context, { name, url, subscription }, { appId }) {
    const details = { title: name, targetUrl: url, filters: subscription }
    return webhookReply('webhook created', await createWebhook(webhookStore(context), appId, details))
  },
})
