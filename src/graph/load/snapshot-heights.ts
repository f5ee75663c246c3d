import type { Fragment } from '#postgres'
import type { Queryable } from '../../platform/db/connection.js'

/** The value of `selectHeights`: heights by shard; null without shards. */
export type HeightsJson = Readonly<Record<string, number>> | null

/** SQL for the last block of each shard in the snapshot of the statement. */
export function selectHeights(db: Queryable): Fragment {
  return db`(select json_object_agg(shard, height) from hub.shards)`
}

/** The heights by shard. */
export function heightsIn(json: HeightsJson): ReadonlyMap<number, number> {
  return new Map(Object.entries(json ?? {}).map(([shard, height]) => [Number(shard), height]))
}
