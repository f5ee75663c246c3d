import type { WebhookSubscriptionFilters } from '../../graph/view/schema/webhook-filters.js'
import { hubEventBody } from '../../hub/log/hub-event.js'
import { AFTER_ALL_EVENTS, readEvents, readLogEnds, type ShardRange } from '../../hub/log/read.js'
import type { EventTail } from '../../hub/log/tail.js'
import { type EventViews, makeEventData } from './delivery/event-data.js'
import { bodyOf } from './delivery/request.js'
import { loadFacts } from './events/load-facts.js'
import { occurrencesOf, webhookEventTypes } from './events/occurrences.js'
import { Matcher } from './matching/matcher.js'

/** What is watched with. */
export interface WatchOptions extends EventViews {
  readonly filters: WebhookSubscriptionFilters
  readonly shards: number
  readonly tail: EventTail
  /** Unix milliseconds. */
  readonly clock: () => number
}

const PAGE = 500

/**
 * The bodies that a webhook with these filters would get from now on, as they happen, until the signal aborts. Nothing
 * is stored or sent: what happens while nobody watches is not told.
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
    yield* await bodiesOf(options, matcher, events)
    ranges = page.rest
    if (page.next) continue
    await tail.wait(
      ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 })),
      signal,
    )
  }
}

async function bodiesOf(
  { db, hydrator, clock }: WatchOptions,
  matcher: Matcher,
  events: Parameters<typeof occurrencesOf>[0],
): Promise<string[]> {
  const noticedAt = new Date(clock())
  const known = await loadFacts(
    db,
    occurrencesOf(events).filter(({ kind }) => matcher.wants(kind)),
  )
  const told = known
    .filter(({ facts }) => matcher.match(facts).length > 0)
    .map(({ occurrence: { happenedAt, ...occurrence } }) => ({
      ...occurrence,
      noticedAt,
      happenedAt: happenedAt === null ? noticedAt : new Date(happenedAt * 1000),
    }))
  const data = await makeEventData({ db, hydrator }, told)
  return told.map(({ id, kind }) =>
    bodyOf({ id: `watch-${id}`, eventId: id, kind, noticedAt, data: data.get(id) ?? 'null' }),
  )
}
