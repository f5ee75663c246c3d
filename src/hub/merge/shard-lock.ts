import type { Transaction } from '../../platform/db/connection.js'
import type { LogDays } from '../log/partitions.js'
import type { ShardHead } from '../log/write.js'
import { shardNumbers } from '../shard-count.js'
import { findAppliedItems } from './applied-offsets.js'
import type { MergeBatch } from './batch.js'
import { isChannelEvent } from './channel-registry.js'
import { locksAllShards } from './rules.js'

/** First key of the advisory locks: one transaction at a time writes a shard. */
const writerLock = 0x706c_617a

/** Locks shards until the transaction ends, in ascending order to avoid deadlocks, in one pipeline. */
export async function lockShards(db: Transaction, shards: readonly number[]): Promise<void> {
  const ascending = [...shards].sort((a, b) => a - b)
  await Promise.all(
    ascending.map((shard) => db`select pg_advisory_xact_lock(${writerLock}::integer, ${shard}::integer)`),
  )
}

/** Heads, applied items and days that a merge knows once it holds the lock. */
interface LockedShards {
  readonly heads: ReadonlyMap<number, ShardHead>
  readonly applied: ReadonlySet<object>
  readonly days: LogDays
}

/**
 * Locks the shard; for names, gasless keys and channels, which users of all shards share, all in order. Returns the heads of the
 * locked shards, the own one first, the items that were applied before, and the days that bound the one of new events.
 */
export async function lockShard(
  db: Transaction,
  shard: number,
  batch: MergeBatch,
  shards: number,
): Promise<LockedShards> {
  const affectsAllShards =
    batch.nameTransfers.length > 0 ||
    batch.chainEvents.some(isChannelEvent) ||
    (batch.lostNames ?? []).length > 0 ||
    batch.messages.some(locksAllShards)
  const locked = affectsAllShards ? shardNumbers(shards) : [shard]
  // One pipeline: the server runs the statements in order, so the reads happen with the locks held.
  const [, rows, applied] = await Promise.all([
    lockShards(db, locked),
    db<({ shard: number; height: number; blockHash: Buffer } & LogDays)[]>`
      with tomorrow as (select (statement_timestamp() at time zone 'utc')::date + 1 as day)
      select shard, height, block_hash as "blockHash", (select day::text from tomorrow) as "latestDay",
        (select max(last_day)::text from hub.shards, tomorrow where last_day <= day) as "lastDay"
      from hub.shards
      where shard = any (${locked}::smallint[])
      order by shard <> ${shard}::smallint, shard
    `,
    findAppliedItems(db, batch.sourceOffsets),
  ])
  if (rows[0]?.shard !== shard) throw new Error(`shard ${shard} has no row in hub.shards`)
  return { heads: new Map(rows.map((row) => [row.shard, row])), applied, days: rows[0] }
}
