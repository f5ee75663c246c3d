import type { Queryable } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import {
  ancestorIds,
  type BlockHistory,
  type BlockRef,
  confirmedBlock,
  historyUpTo,
  isSameBlock,
} from './block-history.js'
import { blockOf, eventId } from './hub-event.js'

/** A log that went back: what a reader has read is no longer in it (docs/clusters.md). */
export interface LogReset {
  readonly shard: number
  /** The last id that the reader had read. */
  readonly lastId: number
  /** The id to continue from: behind the newest block of the reader that is still in the log. */
  readonly nextId: number
  /** The blocks of the reader that are still in the log. */
  readonly history: BlockHistory
  /** The block is not there because the log ends before it, as that of a replica may that lags. */
  readonly isBehind: boolean
}

/** A reader's position is on a branch of the log that was lost. */
export class LogResetError extends PlazaError {
  constructor(readonly reset: LogReset) {
    const { shard, lastId, nextId } = reset
    super(
      'not_found.log_reset',
      `the log of shard ${shard} went back: event ${lastId} is no longer in it; continue from ${nextId}`,
    )
  }
}

interface BlockRow {
  height: number
  floor: number
  confirmation: Buffer | null
}

/** Reads confirmations by their ids, and how far the log of a shard goes. */
export async function readBlocks(
  db: Queryable,
  shard: number,
  ids: readonly number[],
): Promise<{ height: number; floor: number; blocks: BlockRef[] }> {
  const rows = await db<BlockRow[]>`
    select s.height, s.first_retained_id as floor, e.event as confirmation
    from hub.shards s
    left join hub.events e on e.shard = s.shard and e.id = any (${[...ids]}::bigint[])
    where s.shard = ${shard}::smallint
    order by e.id desc
  `
  const blocks = rows.flatMap(({ confirmation }) => (confirmation && confirmedBlock(confirmation)) ?? [])
  return { height: rows[0]?.height ?? 0, floor: rows[0]?.floor ?? 0, blocks }
}

/** Finds where the branch of a reader left the log. Without a common block it continues at the oldest kept event. */
export async function findReset(
  db: Queryable,
  { shard, lastId, history }: Pick<LogReset, 'shard' | 'lastId' | 'history'>,
  isBehind = false,
): Promise<LogReset> {
  const { blocks, floor } = await readBlocks(
    db,
    shard,
    history.map(({ height }) => eventId(height, 0)),
  )
  const fork = history.find((block) => blocks.some((each) => isSameBlock(each, block)))
  const nextId = fork ? eventId(fork.height + 1, 0) : floor
  return { shard, lastId, nextId, history: fork ? historyUpTo(history, fork.height) : [], isBehind }
}

/** Whether a block is in the log. */
export async function isInLog(db: Queryable, shard: number, block: BlockRef): Promise<boolean> {
  const { blocks } = await readBlocks(db, shard, [eventId(block.height, 0)])
  return blocks.some((each) => isSameBlock(each, block))
}

/**
 * Reads the block of an id and its ancestors, for a reader that continues behind it.
 *
 * @throws LogResetError if the log ends before the block.
 */
export async function readHistory(db: Queryable, shard: number, lastId: number): Promise<BlockHistory> {
  const block = blockOf(lastId)
  if (block <= 0) return []
  const { height, floor, blocks } = await readBlocks(db, shard, ancestorIds(block))
  if (height > 0 && block > height) {
    throw new LogResetError({ shard, lastId, nextId: floor, history: [], isBehind: true })
  }
  return blocks[0]?.height === block ? blocks : []
}
