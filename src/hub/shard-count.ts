import type { Queryable } from '../platform/db/connection.js'

/** How many shards the hub of this database has; null before a server has made one. */
export async function readShardCount(db: Queryable): Promise<number | null> {
  const [row] = await db<{ shards: number }[]>`
    select (value #>> '{}')::integer as shards from hub.settings where name = 'shards'
  `
  return row?.shards ?? null
}
