import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  WebhookDeliveriesResponse,
  WebhookDeliveryResponse,
  WebhookListResponse,
  WebhookPreviewResponse,
  WebhookRedeliverResponse,
  WebhookResponse,
  WebhookTestResponse,
} from '../../src/features/webhooks/schema/webhook.js'
import { published } from './conformance.js'

const webhook = published<Client.WebhookResponse>()(WebhookResponse)

/** Webhooks. */
export const webhookReplies: Readonly<Record<string, TSchema>> = {
  webhook,
  'webhook/list': published<Client.WebhookListResponse>()(WebhookListResponse),
  'POST webhook': webhook,
  'PUT webhook': webhook,
  'PATCH webhook': webhook,
  'DELETE webhook': webhook,
  // Ours: the client does not know them.
  'POST webhook/secret/rotate': webhook,
  'webhook/deliveries': WebhookDeliveriesResponse,
  'webhook/delivery': WebhookDeliveryResponse,
  'POST webhook/deliveries/redeliver': WebhookRedeliverResponse,
  'POST webhook/test': WebhookTestResponse,
  'POST webhook/preview': WebhookPreviewResponse,
}
