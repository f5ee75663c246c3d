import type { Operation } from '../../operation.js'
import { webhookDeliveries, webhookPreview, webhookRedeliver, webhookTest } from './webhook-deliveries.js'
import {
  webhookCreate,
  webhookDelete,
  webhookList,
  webhookLookup,
  webhookReplace,
  webhookSecretRotate,
  webhookSwitch,
} from './webhooks.js'

/** Operations on webhooks, their secrets and deliveries. */
export const webhookOperations: readonly Operation[] = [
  webhookLookup,
  webhookList,
  webhookCreate,
  webhookReplace,
  webhookSwitch,
  webhookDelete,
  webhookSecretRotate,
  webhookDeliveries,
  webhookRedeliver,
  webhookTest,
  webhookPreview,
]
