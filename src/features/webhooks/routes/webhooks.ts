import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { textEnum } from '../../../graph/view/schema/schema-type.js'
import { WebhookListResponse, WebhookResponse } from '../../../graph/view/schema/webhook.js'
import { WebhookSubscriptionFilters } from '../../../graph/view/schema/webhook-filters.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { presentWebhook } from '../present-webhook.js'
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  replaceWebhook,
  rotateSecret,
  setWebhookActive,
  type Webhook,
} from '../webhooks.js'

const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

/** Which delivery. */
export const deliveryIdParameter = Type.String({
  pattern: UUID,
  patternText: 'the delivery_id of a delivery',
  description: 'Which delivery.',
})

/** Which webhook. */
export const webhookIdParameter = Type.String({
  pattern: UUID,
  patternText: 'the webhook_id of a webhook',
  description: 'Which webhook.',
})

/** What is said with 404, and with 409. */
export const unknownWebhookText = 'there is no webhook with this webhook_id'
const duplicateWebhookText = 'The app has a webhook with the same subscription to the same URL.'

/** Its name. */
const nameParameter = textParameter({ maxLength: 256, description: 'What the webhook is called.' })

/** Its target. */
const urlParameter = textParameter({
  maxLength: 2_048,
  description: 'Where events are sent: an https URL on the public internet, without credentials.',
})

/** What the records of webhooks are kept with. */
export function webhookStore({ writerDb, vault, webhooks }: OperationContext) {
  return { db: writerDb, vault, settings: webhooks }
}

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

/** The answer to what was done to a webhook. */
function webhookReply(message: string, webhook: Webhook) {
  return { message, success: true, webhook: presentWebhook(webhook) }
}
