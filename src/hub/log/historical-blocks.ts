import type { Database, Queryable } from '../../platform/db/connection.js'
import type { Statement } from '../../platform/db/pipeline.js'
import { blockOf, MAX_BLOCK_EVENTS } from './hub-event.js'

/** Age up to which a copy is news, also of a user who was never fetched: the log of another hub may have left it out. */
export const MAX_NEWS_AGE_DAYS = 1
/** A user who was compared longer ago, such as one that was not selected for a year, counts no further back. */
const MAX_GAP_DAYS = 14

/** A block of the log. */
export interface LogBlock {
  readonly shard: number
  readonly block: number
}

/** A block that copied what another hub had stored before. */
export interface HistoricalBlock extends LogBlock {
  /** Unix seconds: what is older is history. */
  readonly newsFrom: number
}

/**
 * Remembers the blocks of a merge of what another hub had stored before, and since when it was news: all its users had been
 * compared until then. Null: there are none.
 *
 * @param nowUnix The time of the merge: consumers may be days behind.
 */
export function saveHistoricalBlocks(
  db: Queryable,
  shard: number,
  events: readonly { readonly id: number; readonly fid: number | null }[],
  nowUnix: number,
): Statement | null {
  if (events.length === 0) return null
  const blocks = [...new Set(events.map(({ id }) => blockOf(id)))]
  const fids = [...new Set(events.flatMap(({ fid }) => fid ?? []))]
  return db`
    insert into hub.historical_blocks (shard, block, news_from)
    select ${shard}::smallint, block, least(
      merge.at - make_interval(days => ${MAX_NEWS_AGE_DAYS}::integer),
      greatest(compared.until, merge.at - make_interval(days => ${MAX_GAP_DAYS}::integer))
    )
    from unnest(${blocks}::bigint[]) as merged (block)
    cross join (select to_timestamp(${nowUnix}::double precision) as at) merge
    cross join lateral (
      select coalesce(max(coalesce(compared_at, backfilled_at, merge.at)), merge.at) as until
      from unnest(${fids}::bigint[]) as changed (fid)
      left join sync.fids using (fid)
    ) compared`
}

/** Selects those of the blocks that copied what another hub had stored before. */
export async function selectHistoricalBlocks(
  db: Queryable,
  blocks: readonly LogBlock[],
): Promise<readonly HistoricalBlock[]> {
  return await db<HistoricalBlock[]>`
    select shard, block, extract(epoch from news_from)::double precision as "newsFrom"
    from hub.historical_blocks
    join unnest(
      ${blocks.map(({ shard }) => shard)}::smallint[],
      ${blocks.map(({ block }) => block)}::bigint[]
    ) as given (shard, block) using (shard, block)`
}

/** Deletes those that the log no longer has. */
export async function deleteOldHistoricalBlocks(db: Database): Promise<void> {
  await db`
    delete from hub.historical_blocks h
    using hub.shards s
    where s.shard = h.shard and h.block < s.first_retained_id / ${MAX_BLOCK_EVENTS}::bigint`
}
