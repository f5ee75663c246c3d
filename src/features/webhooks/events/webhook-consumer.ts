import type { Consumer } from '../../../hub/log/consumer-batch.js'
import { enqueueDeliveries } from '../delivery/enqueue.js'
import type { Subscriptions } from '../matching/subscriptions.js'
import { dropCompactedFollows, takeCompactedFollows } from './compacted-follows.js'
import { loadFacts } from './load-facts.js'
import { occurrencesOf, webhookEventTypes } from './occurrences.js'

/**
 * Holds what happens against the subscriptions and puts what somebody wants to hear of in line, in the transaction
 * that moves the cursor: a delivery is there exactly once, whatever dies.
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
      if (matcher.size === 0) return await dropCompactedFollows(db, events)
      const compacted = await takeCompactedFollows(db, events)
      const wanted = occurrencesOf(events, compacted).filter(({ kind }) => matcher.wants(kind))
      if (wanted.length === 0) return
      const matched = (await loadFacts(db, wanted)).flatMap(({ occurrence, facts }) => {
        const webhookIds = matcher.match(facts)
        return webhookIds.length === 0 ? [] : [{ occurrence, webhookIds }]
      })
      await enqueueDeliveries(db, matched, clock())
    },
  }
}
