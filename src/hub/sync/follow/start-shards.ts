import type { Database, Queryable } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { deleteAppliedOffsets } from '../../merge/applied-offsets.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { queueAllUsers } from '../reconcile-queue.js'
import type { Selection } from '../subset/selected-users.js'
import type { UpstreamMetrics } from '../upstream-metrics.js'
import {
  findStartCursor,
  ignoreOtherCursors,
  LOG_GAP,
  type StartCursor,
  saveCursors,
  sourceLogName,
} from './cursors.js'

interface StartOptions {
  readonly db: Database
  /** The connection that holds the sync lock: a standby that takes over never gets a cursor from before (`CheckpointWriter`). */
  readonly session: Queryable
  readonly selection: Selection
  readonly log: Log
  readonly metrics: UpstreamMetrics
}

/**
 * Finds where each shard of an upstream starts, and saves it. No event is merged before all are saved: the slowest shard
 * says up to when an upstream is merged, and one without a cursor would not be seen. @throws UpstreamFailure
 */
export async function startShards(
  options: StartOptions,
  client: UpstreamClient,
  shards: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, StartCursor>> {
  const { db, session } = options
  const starts = new Map(
    await Promise.all(
      shards.map(async (shard) => [shard, await findStartCursor(db, client, shard, signal)] as const),
    ),
  )
  for (const [shard, start] of starts) {
    if (start.gap) await reportGap(options, client.address, shard, start.gap)
    if (start.isNewLog)
      await deleteAppliedOffsets(db, sourceLogName(client.address, shard), Number.MAX_SAFE_INTEGER)
  }
  await saveCursors(session, client.address, starts)
  await ignoreOtherCursors(session, client.address, shards)
  return starts
}

async function reportGap(
  { db, selection, log, metrics }: StartOptions,
  upstream: string,
  shard: number,
  { from, to }: NonNullable<StartCursor['gap']>,
): Promise<void> {
  log.error({ upstream, shard, from, to }, 'the upstream dropped events before they were merged here')
  metrics.missed(Math.max(1, to - from), true)
  const { isSubset } = selection
  await queueAllUsers(db, { isSubset, reason: LOG_GAP })
}
