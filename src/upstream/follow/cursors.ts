import type { Database } from '../../db/connection.js'

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
    from upstream.cursors
    where upstream = ${upstream} and shard = ${shard}::smallint
  `
  return row ?? null
}

/**
 * Moves a cursor, after what is before it was merged. When this process dies in between, the events come again, and
 * merging is idempotent: a message that stands is a duplicate, one that has lost since loses again, and neither makes
 * an event. So the cursor need not be part of the merges' transactions, of which there is one for each of our shards.
 */
export async function saveCursor(
  db: Database,
  upstream: string,
  shard: number,
  { nextId, blockTime }: Cursor,
): Promise<void> {
  await db`
    insert into upstream.cursors (upstream, shard, next_id, block_time)
    values (${upstream}, ${shard}::smallint, ${nextId}::bigint, ${blockTime}::bigint)
    on conflict (upstream, shard) do update set next_id = excluded.next_id, block_time = excluded.block_time
  `
}

/** The moment up to which everything is merged from whichever upstream was followed: Farcaster seconds, or null. */
export async function followedUntil(db: Database): Promise<number | null> {
  // Of one upstream the shard that is behind the others counts, of several upstreams the one that is ahead.
  const [row] = await db<{ time: number | null }[]>`
    select max(time) as time
    from (select min(block_time) as time from upstream.cursors where block_time > 0 group by upstream) followed
  `
  return row?.time ?? null
}
