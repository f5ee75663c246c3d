import type { Database } from '../../../platform/db/connection.js'
import { blockOf, eventId } from '../../log/hub-event.js'
import { deleteAppliedOffsets } from '../../merge/applied-offsets.js'

/** The merged part of the log of one upstream shard. */
export interface Cursor {
  /** All events with a lower id are merged. */
  readonly nextId: number
  /** Time of the last block before it, in Farcaster seconds; 0 if unknown. */
  readonly blockTime: number
}

/** Loads the cursor of an upstream shard; null if there is none. */
export async function loadCursor(db: Database, upstream: string, shard: number): Promise<Cursor | null> {
  const [row] = await db<Cursor[]>`
    select next_id as "nextId", block_time as "blockTime"
    from sync.cursors
    where upstream = ${upstream} and shard = ${shard}::smallint
  `
  return row ?? null
}

/**
 * Blocks that are read again after each reconnect: a killed upstream may have sent events out of order
 * (hub-monorepo#2172). Applied offsets make this safe.
 */
const REWIND_BLOCKS = 8

/** Returns the id to read from: the start of a block some blocks before the cursor. */
export function rewindId(nextId: number): number {
  return eventId(Math.max(0, blockOf(nextId) - REWIND_BLOCKS), 0)
}

/** Returns the name of a shard's log in source offsets (`MergeItem.sourceOffset`). */
export function sourceLogName(upstream: string, shard: number): string {
  return `${upstream}/${shard}`
}

/**
 * Saves a cursor after everything before it is merged, and deletes applied offsets that are no longer needed.
 *
 * If the process dies before, events are read again; the hub knows which it has applied, since each merge
 * records that in its transaction.
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

/** Returns the time up to which any upstream is merged, or any other than one: Farcaster seconds, or null. */
export async function syncedUntil(db: Database, excludedUpstream = ''): Promise<number | null> {
  // The slowest shard of an upstream counts, and of several upstreams the furthest.
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
