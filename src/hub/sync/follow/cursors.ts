import type { Database } from '../../../platform/db/connection.js'
import { blockOf, eventId } from '../../log/hub-event.js'
import { deleteAppliedOffsets } from '../../merge/applied-offsets.js'

/** How far the log of one shard of an upstream is merged. */
export interface Cursor {
  /** Every event with a lower id is merged. */
  readonly nextId: number
  /** When the last block before it was made, in Farcaster seconds; 0 while nobody knows. */
  readonly blockTime: number
}

/** The cursor of a shard of an upstream; null before anything of it was followed. */
export async function loadCursor(db: Database, upstream: string, shard: number): Promise<Cursor | null> {
  const [row] = await db<Cursor[]>`
    select next_id as "nextId", block_time as "blockTime"
    from sync.cursors
    where upstream = ${upstream} and shard = ${shard}::smallint
  `
  return row ?? null
}

/**
 * An upstream that was killed may have sent events out of order before (hub-monorepo#2172): so many blocks are read
 * again after each reconnect. Each merge has written down what it took of them.
 */
const REWIND_BLOCKS = 8

/** Where the log of an upstream is read from again, a little before the cursor. */
export function rewindId(nextId: number): number {
  return eventId(Math.max(0, blockOf(nextId) - REWIND_BLOCKS), 0)
}

/** What a shard's log is called in the places of its events (`SubmitOptions.places`). */
export function sourceLogName(upstream: string, shard: number): string {
  return `${upstream}/${shard}`
}

/**
 * Moves a cursor, after what is before it was merged, and forgets what was taken of what will not be read again. When
 * this process dies before, events come again, and the hub knows which of them it has taken: that is written in the
 * transactions of the merges, of which there is one for each of our shards.
 */
export async function saveCursor(
  db: Database,
  upstream: string,
  shard: number,
  { nextId, blockTime }: Cursor,
): Promise<void> {
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time)
    values (${upstream}, ${shard}::smallint, ${nextId}::bigint, ${blockTime}::bigint)
    on conflict (upstream, shard) do update set next_id = excluded.next_id, block_time = excluded.block_time
  `
  await deleteAppliedOffsets(db, sourceLogName(upstream, shard), rewindId(nextId))
}

/**
 * The moment up to which everything is merged from whichever upstream was followed, or whichever other than this one:
 * Farcaster seconds, or null.
 */
export async function syncedUntil(db: Database, excludedUpstream = ''): Promise<number | null> {
  // Of one upstream the shard that is behind the others counts, of several upstreams the one that is ahead.
  const [row] = await db<{ time: number | null }[]>`
    select max(time) as time
    from (
      select min(block_time) as time
      from sync.cursors
      where block_time > 0 and upstream <> ${excludedUpstream}
      group by upstream
    ) followed
  `
  return row?.time ?? null
}
