import { Type } from '@sinclair/typebox'
import { WebhookPreviewResponse } from '../../../graph/view/schema/webhook-delivery.js'
import { WebhookSubscriptionFilters } from '../../../graph/view/schema/webhook-filters.js'
import { defineOperation } from '../../operation.js'
import { checkFilters } from '../filter-validation.js'
import { previewFilters } from '../preview.js'

/** `POST webhook/preview` */
export const webhookPreview = defineOperation({
  method: 'POST',
  path: 'webhook/preview',
  tag: 'Webhook',
  summary: 'What a subscription would have been told of',
  description:
    'Holds filters against the events of the last three days, from the newest backwards, for some seconds at most: ' +
    '`complete` and `since` say how far it came. Nothing is saved or sent.',
  body: Type.Object({
    subscription: WebhookSubscriptionFilters,
    samples: Type.Integer({ minimum: 0, maximum: 25, default: 5, description: 'How many events to show.' }),
  }),
  reply: WebhookPreviewResponse,

  async handle({ db, hydrator, clock }, { subscription, samples }) {
    checkFilters(subscription)
    const preview = await previewFilters({ db, hydrator }, { filters: subscription, samples, clock })
    return {
      matched: [...preview.matched.values()].reduce((sum, count) => sum + count, 0),
      matched_by_type: Object.fromEntries(preview.matched),
      looked_at: preview.scannedEvents,
      complete: preview.isComplete,
      since: preview.sinceMs === null ? null : new Date(preview.sinceMs).toISOString(),
      samples: preview.samples.map(({ kind, eventId, data }) => ({
        type: kind,
        event_id: eventId,
        data: JSON.parse(data) as unknown,
      })),
    }
  },
})
