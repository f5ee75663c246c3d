import type { Consumer } from '../../../hub/log/consumer-batch.js'
import { enqueueDeliveries } from '../delivery/enqueue.js'
import type { Subscriptions } from '../matching/subscriptions.js'
import { discardCompactedFollows, takeCompactedFollows } from './compacted-follows.js'
import { deriveWebhookEvents, webhookEventTypes } from './event-derivation.js'
import { matchEvents } from './matched-events.js'

/**
 * Matches log events against subscriptions and queues deliveries in the transaction that moves the cursor. So
 * each delivery is queued exactly once, also after crashes.
 *
 * @param clock Unix milliseconds.
 */
export function createWebhookConsumer(subscriptions: Subscriptions, clock: () => number): Consumer {
  const { matcher } = subscriptions
  return {
    name: 'webhooks',
    from: 'newest',
    types: webhookEventTypes,
    async handle(db, events) {
      await subscriptions.refresh(db)
      if (matcher.size === 0) return await discardCompactedFollows(db, events)
      const compactedFollows = await takeCompactedFollows(db, events)
      const matched = await matchEvents(db, matcher, deriveWebhookEvents(events, compactedFollows))
      await enqueueDeliveries(db, matched, clock())
    },
  }
}
