import { Type } from '@sinclair/typebox'
import { WebhookResponse } from '../../../graph/view/schema/webhook.js'
import { defineOperation } from '../../operation.js'
import { rotateSecret } from '../webhooks.js'
import { unknownWebhookText, webhookIdParameter, webhookStore } from './webhook-parameters.js'
import { webhookReply } from './webhook-reply.js'

const DAY_SECONDS = 86_400
const MAX_GRACE_SECONDS = 30 * DAY_SECONDS

/** `POST webhook/secret/rotate` */
export const webhookSecretRotate = defineOperation({
  method: 'POST',
  path: 'webhook/secret/rotate',
  tag: 'Webhook',
  summary: 'Give a webhook a new secret',
  description:
    'For the grace time both secrets sign, so that no delivery is refused while receivers are changed.',
  body: Type.Object({
    webhook_id: webhookIdParameter,
    grace_seconds: Type.Integer({
      minimum: 0,
      maximum: MAX_GRACE_SECONDS,
      default: DAY_SECONDS,
      description:
        'How long the old secret signs beside the new one. 0 ends it at once: for one that has leaked.',
    }),
  }),
  reply: WebhookResponse,
  notFound: unknownWebhookText,

  async handle(context, { webhook_id, grace_seconds }, { appId }) {
    const webhook = await rotateSecret(webhookStore(context), appId, webhook_id, grace_seconds)
    return webhookReply('secret rotated', webhook)
  },
})
