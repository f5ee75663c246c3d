import {
  type LogBlock,
  MAX_NEWS_AGE_DAYS,
  selectHistoricalBlocks,
} from '../../../hub/log/historical-blocks.js'
import { blockOf } from '../../../hub/log/hub-event.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import type { WebhookEvent } from './webhook-event.js'

/**
 * Leaves out what was copied from what another hub had stored, and was history by then: a user whom a backfill, an import or a
 * comparison fetches comes with years of casts, which a bot would answer. What comes by a log or is submitted stays, however old
 * it is, and so do deletions.
 *
 * @param nowMs What is new by then needs no look.
 */
export async function leaveOutHistory(
  db: Queryable,
  events: readonly WebhookEvent[],
  nowMs: number,
): Promise<readonly WebhookEvent[]> {
  const newest = nowMs / 1000 - MAX_NEWS_AGE_DAYS * DAY_SECONDS
  const isBefore = ({ kind, happenedAt }: WebhookEvent, unix: number) =>
    happenedAt !== null && happenedAt < unix && !kind.endsWith('.deleted')
  const old = events.filter((event) => isBefore(event, newest))
  if (old.length === 0) return events
  const historical = await selectHistoricalBlocks(db, distinctBlocks(old))
  const newsFrom = new Map(historical.map((block) => [nameOf(block), block.newsFrom]))
  return events.filter((event) => !isBefore(event, newsFrom.get(nameOf(blockOfEvent(event))) ?? 0))
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
