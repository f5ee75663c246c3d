import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { HubEventType } from '../../protocol/definitions.js'
import { shardOf } from '../../protocol/shard.js'
import { saveHistoricalBlocks } from '../log/historical-blocks.js'
import { saveTracedBlocks } from '../log/traced-blocks.js'
import { appendEvents, buildBlocks, type LoggedEvent, type ShardHead } from '../log/write.js'
import type { PendingEvent } from './state.js'

/** The blocks of a batch in the log of one shard. */
export interface ShardBlocks {
  readonly shard: number
  readonly events: readonly LoggedEvent[]
  readonly head: ShardHead
}

/**
 * Builds the blocks of a batch: those of its shard, and of other locked shards whose users had a message revoked, as the
 * former holder of a name has (docs/protocol.md §4.9).
 *
 * @param heads Of the locked shards, the batch's own first.
 * @param now Farcaster seconds.
 */
export function buildShardBlocks(
  heads: ReadonlyMap<number, ShardHead>,
  pending: readonly PendingEvent[],
  shards: number,
  now: number,
): ShardBlocks[] {
  const [own] = heads.keys()
  const shardOfEvent = ({ fid, body }: PendingEvent) => {
    const shard = fid !== null && body.type === HubEventType.REVOKE_MESSAGE ? shardOf(fid, shards) : own
    return shard !== undefined && heads.has(shard) ? shard : own
  }
  return [...heads].map(([shard, head]) => ({
    shard,
    ...buildBlocks(
      shard,
      head,
      pending.filter((event) => shardOfEvent(event) === shard),
      now,
    ),
  }))
}

/**
 * Appends the blocks of a batch to the logs of their shards; `isCopy` as of the batch.
 */
export async function appendBlocks(
  db: Transaction,
  blocks: readonly ShardBlocks[],
  {
    isCopy = false,
    day,
    nowUnix,
  }: { readonly isCopy?: boolean | undefined; readonly day: string; readonly nowUnix: number },
): Promise<void> {
  await inPipeline(
    blocks.flatMap(({ shard, events, head }) => [
      appendEvents(db, shard, events, head, day),
      saveTracedBlocks(db, shard, events),
      isCopy ? saveHistoricalBlocks(db, shard, events, nowUnix) : null,
    ]),
  )
}
