import type { Database, Queryable } from '../../platform/db/connection.js'
import type { Statement } from '../../platform/db/pipeline.js'
import { recordedSpan, type TraceSpan } from '../../platform/tracing/active-span.js'
import type { Tracing } from '../../platform/tracing/tracing.js'
import { blockOf } from './hub-event.js'

/** The `traceparent` of traced blocks, by block. */
export type TracedBlocks = ReadonlyMap<number, string>

/** A consumer that is so far behind continues no trace: nobody looks for it any more. */
const KEPT_HOURS = 24
/** Most traces that a batch continues. */
const MAX_BLOCKS = 1_000

/** Stores the running span with the blocks of a merge, so that their consumers continue its trace. Null: nothing to store. */
export function saveTracedBlocks(
  db: Queryable,
  shard: number,
  events: readonly { readonly id: number }[],
): Statement | null {
  const span = recordedSpan()
  if (span === null || events.length === 0) return null
  const blocks = [...new Set(events.map(({ id }) => blockOf(id)))]
  return db`
    insert into hub.traced_blocks (shard, block, traceparent)
    select ${shard}::smallint, block, ${span.headers.traceparent} from unnest(${blocks}::bigint[]) as merged (block)`
}

/** Reads the traces of the blocks from one on. */
export async function readTracedBlocks(db: Queryable, shard: number, from: number): Promise<TracedBlocks> {
  const rows = await db<{ block: number; traceparent: string }[]>`
    select block, traceparent from hub.traced_blocks
    where shard = ${shard}::smallint and block >= ${from}::bigint
    order by block
    limit ${MAX_BLOCKS}`
  return new Map(rows.map(({ block, traceparent }) => [block, traceparent]))
}

/** Starts the span of a consumer's batch: a child of the first traced block, with links to the others. Null for none. */
export function startBatchSpan(
  tracing: Tracing,
  consumer: string,
  shard: number,
  events: readonly { readonly traceparent?: string }[],
): TraceSpan | null {
  const [first, ...others] = [...new Set(events.flatMap(({ traceparent }) => traceparent ?? []))]
  if (first === undefined) return null
  return tracing.start(`consume ${consumer}`, {
    kind: 'consumer',
    parent: { traceparent: first },
    links: others.map((traceparent) => ({ traceparent })),
    attributes: { 'plaza.consumer': consumer, 'plaza.shard': shard, 'plaza.events': events.length },
  })
}

/** Deletes the traces of blocks that every consumer has passed long ago. */
export async function deleteOldTracedBlocks(db: Database): Promise<void> {
  await db`
    delete from hub.traced_blocks where merged_at < now() - make_interval(hours => ${KEPT_HOURS}::integer)`
}
