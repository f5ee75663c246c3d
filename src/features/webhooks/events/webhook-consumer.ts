import type { Consumer } from '../../../hub/log/consumer-batch.js'
import { enqueueDeliveries } from '../delivery/enqueue-deliveries.js'
import { Matcher } from '../matching/matcher.js'
import { discardCompactedFollows, takeCompactedFollows } from './compacted-follows.js'
import { deriveWebhookEvents, webhookEventTypes } from './event-derivation.js'
import { leaveOutHistory } from './history.js'
import { matchEvents } from './matched-events.js'

/**
 * Matches log events against subscriptions and queues deliveries in the transaction that moves the cursor. So
 * each delivery is queued exactly once, also after crashes.
 *
 * @param clock Unix milliseconds.
 */
export function createWebhookConsumer(clock: () => number): Consumer {
  const matcher = new Matcher()
  return {
    name: 'webhooks',
    from: 'newest',
    types: webhookEventTypes,
    prepare: (db) => matcher.refresh(db),
    onFailure: () => matcher.forget(),
    async handle(db, events) {
      if (matcher.size === 0) return discardCompactedFollows(db, events)
      const compactedFollows = await takeCompactedFollows(db, events)
      const derived = deriveWebhookEvents(events, compactedFollows)
      const subscribed = derived.filter(({ kind }) => matcher.hasSubscribers(kind))
      const news = await leaveOutHistory(db, subscribed, clock())
      return await enqueueDeliveries(db, await matchEvents(db, matcher, news), clock())
    },
  }
}
