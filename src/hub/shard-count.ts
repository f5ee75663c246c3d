import type { Queryable } from '../platform/db/connection.js'

/** Reads the number of shards of this database; null before a server has opened a hub on it. */
export async function readShardCount(db: Queryable): Promise<number | null> {
  const [row] = await db<{ shards: number }[]>`
    select (value #>> '{}')::integer as shards from hub.settings where name = 'shards'
  `
  return row?.shards ?? null
}

/** Returns the shards of users, of `count`: numbers from 1. Shard 0, of the reference node's blocks, has no users. */
export function shardNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
