import type { Database, Queryable } from '../../platform/db/connection.js'
import type { Statement } from '../../platform/db/pipeline.js'
import { blockOf } from './hub-event.js'

/** The longest time that a consumer may be behind and still knows them. */
const KEPT_DAYS = 14

/** A block of the log. */
export interface LogBlock {
  readonly shard: number
  readonly block: number
}

/** Remembers the blocks of a merge of what another hub had stored before. Null: there are none. */
export function saveHistoricalBlocks(
  db: Queryable,
  shard: number,
  events: readonly { readonly id: number }[],
): Statement | null {
  if (events.length === 0) return null
  const blocks = [...new Set(events.map(({ id }) => blockOf(id)))]
  return db`
    insert into hub.historical_blocks (shard, block)
    select ${shard}::smallint, block from unnest(${blocks}::bigint[]) as merged (block)`
}

/** Selects those of the blocks that copied what another hub had stored before. */
export async function selectHistoricalBlocks(
  db: Queryable,
  blocks: readonly LogBlock[],
): Promise<readonly LogBlock[]> {
  return await db<LogBlock[]>`
    select shard, block
    from hub.historical_blocks
    join unnest(
      ${blocks.map(({ shard }) => shard)}::smallint[],
      ${blocks.map(({ block }) => block)}::bigint[]
    ) as given (shard, block) using (shard, block)`
}

/** Deletes those that every consumer has passed long ago. */
export async function deleteOldHistoricalBlocks(db: Database): Promise<void> {
  await db`
    delete from hub.historical_blocks where merged_at < now() - make_interval(days => ${KEPT_DAYS}::integer)`
}
