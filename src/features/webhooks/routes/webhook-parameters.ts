import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import type { OperationContext } from '../../operation.js'

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
export const duplicateWebhookText = 'The app has a webhook with the same subscription to the same URL.'

/** Its name. */
export const nameParameter = textParameter({ maxLength: 256, description: 'What the webhook is called.' })

/** Its target. */
export const urlParameter = textParameter({
  maxLength: 2_048,
  description: 'Where events are sent: an https URL on the public internet, without credentials.',
})

/** What the records of webhooks are kept with. */
export function webhookStore({ writerDb, vault, webhooks }: OperationContext) {
  return { db: writerDb, vault, settings: webhooks }
}
