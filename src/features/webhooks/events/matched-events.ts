import type { Queryable } from '../../../platform/db/connection.js'
import type { Matcher } from '../matching/matcher.js'
import { loadFacts } from './fact-loader.js'
import type { WebhookEvent } from './webhook-event.js'

/** An event, and the webhooks that it is for. */
export interface MatchedEvent {
  readonly event: WebhookEvent
  readonly webhookIds: readonly string[]
}

/** Matches events against subscriptions, in two statements for all of them. Drops events that match none. */
export async function matchEvents(
  db: Queryable,
  matcher: Matcher,
  events: readonly WebhookEvent[],
): Promise<MatchedEvent[]> {
  const candidates = events.filter(({ kind }) => matcher.hasSubscribers(kind))
  if (candidates.length === 0) return []
  const facts = await loadFacts(db, candidates)
  return candidates
    .map((event, index) => ({ event, webhookIds: matcher.match(facts[index]!) }))
    .filter(({ webhookIds }) => webhookIds.length > 0)
}
