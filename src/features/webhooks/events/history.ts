import { type LogBlock, selectHistoricalBlocks } from '../../../hub/log/historical-blocks.js'
import { blockOf } from '../../../hub/log/hub-event.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { WebhookEvent } from './webhook-event.js'

/** A comparison with another hub also brings what a gap in its log left out of late: that is news. */
const MAX_NEWS_AGE_SECONDS = 24 * 60 * 60

/**
 * Leaves out what is more than a day old and was copied from what another hub had stored: a user whom a backfill, an import or a
 * comparison fetches comes with years of casts, which a bot would answer. What comes by a log or is submitted stays, however old
 * it is, and so do deletions.
 */
export async function leaveOutHistory(
  db: Queryable,
  events: readonly WebhookEvent[],
  nowMs: number,
): Promise<readonly WebhookEvent[]> {
  const oldest = nowMs / 1000 - MAX_NEWS_AGE_SECONDS
  const isOld = ({ kind, happenedAt }: WebhookEvent) =>
    happenedAt !== null && happenedAt < oldest && !kind.endsWith('.deleted')
  const old = events.filter(isOld)
  if (old.length === 0) return events
  const historical = await selectHistoricalBlocks(db, distinctBlocks(old))
  const names = new Set(historical.map(nameOf))
  return events.filter((event) => !(isOld(event) && names.has(nameOf(blockOfEvent(event)))))
}

function distinctBlocks(events: readonly WebhookEvent[]): LogBlock[] {
  return [...new Map(events.map(blockOfEvent).map((block) => [nameOf(block), block])).values()]
}

function nameOf({ shard, block }: LogBlock): string {
  return `${shard}-${block}`
}

/** Reads the block from the id of an event. */
function blockOfEvent({ id }: WebhookEvent): LogBlock {
  const [shard, eventId] = id.split('-')
  return { shard: Number(shard), block: blockOf(Number(eventId)) }
}
