import type { WebhookSubscriptionFilters } from '../../graph/view/schema/webhook-filters.js'
import { hubEventBody } from '../../hub/log/hub-event.js'
import { AFTER_ALL_EVENTS, readEvents, readLogEnds, type ShardRange } from '../../hub/log/read.js'
import type { EventTail } from '../../hub/log/tail.js'
import { type EventRenderContext, renderEventData } from './delivery/event-data.js'
import { deliveryBody } from './delivery/request.js'
import { deriveWebhookEvents, webhookEventTypes } from './events/event-derivation.js'
import { matchEvents } from './events/matched-events.js'
import { Matcher } from './matching/matcher.js'

/** Dependencies of `watchEvents`. */
export interface WatchOptions extends EventRenderContext {
  readonly filters: WebhookSubscriptionFilters
  readonly shards: number
  readonly tail: EventTail
  /** Unix milliseconds. */
  readonly clock: () => number
}

const PAGE = 500

/**
 * Yields the bodies that a webhook with these filters would receive from now on, until the signal aborts.
 *
 * Nothing is stored or sent, and events while nobody watches are skipped.
 */
export async function* watchEvents(options: WatchOptions, signal: AbortSignal): AsyncGenerator<string> {
  const { db, filters, shards, tail } = options
  const matcher = new Matcher()
  matcher.set({ webhookId: 'watch', filters })
  const ends = await readLogEnds(
    db,
    Array.from({ length: shards }, (_, index) => index + 1),
  )
  let ranges: readonly ShardRange[] = ends.map(({ shard, lastId }) => ({
    shard,
    from: lastId + 1,
    stop: AFTER_ALL_EVENTS,
  }))
  while (!signal.aborted) {
    const page = await readEvents(db, ranges, {
      limit: PAGE,
      reverse: false,
      filter: { fids: null, types: webhookEventTypes },
    })
    const events = page.events.map(({ shard, id, event }) => ({ shard, id, body: hubEventBody(event) }))
    yield* await renderBodies(options, matcher, events)
    ranges = page.remaining
    if (page.next) continue
    await tail.wait(
      ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 })),
      signal,
    )
  }
}

async function renderBodies(
  { db, hydrator, clock }: WatchOptions,
  matcher: Matcher,
  events: Parameters<typeof deriveWebhookEvents>[0],
): Promise<string[]> {
  const detectedAt = new Date(clock())
  const matched = await matchEvents(db, matcher, deriveWebhookEvents(events))
  const matchedEvents = matched.map(({ event }) => ({ ...event, detectedAt }))
  const data = await renderEventData({ db, hydrator }, matchedEvents)
  return matchedEvents.map(({ id, kind }) =>
    deliveryBody({ id: `watch-${id}`, eventId: id, kind, detectedAt, data: data.get(id) ?? 'null' }),
  )
}
