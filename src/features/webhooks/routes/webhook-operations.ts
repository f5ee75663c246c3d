import type { Operation } from '../../operation.js'
import { webhookCreate } from './create.js'
import { webhookDelete } from './delete.js'
import { webhookDeliveries } from './deliveries.js'
import { webhookList } from './list.js'
import { webhookLookup } from './lookup.js'
import { webhookPreview } from './preview.js'
import { webhookRedeliver } from './redeliver.js'
import { webhookReplace } from './replace.js'
import { webhookSecretRotate } from './secret-rotate.js'
import { webhookTest } from './send-test.js'
import { webhookSwitch } from './switch.js'

/** Webhooks, their secrets and their deliveries. */
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
