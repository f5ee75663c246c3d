import { Type } from '@sinclair/typebox'
import { textEnum } from '../../../graph/view/schema/schema-type.js'
import { WebhookResponse } from '../../../graph/view/schema/webhook.js'
import { defineOperation } from '../../operation.js'
import { setWebhookActive } from '../webhooks.js'
import { unknownWebhookText, webhookIdParameter, webhookStore } from './webhook-parameters.js'
import { webhookReply } from './webhook-reply.js'

/** `PATCH webhook` */
export const webhookSwitch = defineOperation({
  method: 'PATCH',
  path: 'webhook',
  tag: 'Webhook',
  summary: 'Switch a webhook on or off',
  description:
    'What waits for a webhook that is switched off is canceled; `POST webhook/deliveries/redeliver` sends it when ' +
    'the webhook is on again.',
  body: Type.Object({
    webhook_id: webhookIdParameter,
    active: textEnum(['true', 'false'], { description: 'A text, not a boolean.' }),
  }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id, active }, { appId }) {
    const webhook = await setWebhookActive(webhookStore(context), appId, webhook_id, active === 'true')
    return webhookReply(webhook.active ? 'webhook switched on' : 'webhook switched off', webhook)
  },
})
