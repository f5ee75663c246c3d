import type { Transaction } from '../../platform/db/connection.js'

/** First key of the advisory locks that make one transaction at a time the writer of a shard. */
const writerLock = 0x706c_617a

/**
 * Takes the writer's locks of some shards until the transaction ends. Always in ascending order, so that two
 * transactions never wait for each other crosswise. The statements go out in one pipeline.
 */
export async function lockShards(db: Transaction, shards: readonly number[]): Promise<void> {
  const ascending = [...shards].sort((a, b) => a - b)
  await Promise.all(
    ascending.map((shard) => db`select pg_advisory_xact_lock(${writerLock}::integer, ${shard}::integer)`),
  )
}
