import type { Transaction } from '../../platform/db/connection.js'

/** First key of the advisory locks: one transaction at a time writes a shard. */
const writerLock = 0x706c_617a

/** Locks shards until the transaction ends, in ascending order to avoid deadlocks, in one pipeline. */
export async function lockShards(db: Transaction, shards: readonly number[]): Promise<void> {
  const ascending = [...shards].sort((a, b) => a - b)
  await Promise.all(
    ascending.map((shard) => db`select pg_advisory_xact_lock(${writerLock}::integer, ${shard}::integer)`),
  )
}
