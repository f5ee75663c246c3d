import { isReplicaLag, openEndedRange, positionsOf } from '../../hub/log/follow.js'
import { blockOf, hubEventBody } from '../../hub/log/hub-event.js'
import type { ShardRange } from '../../hub/log/log-range.js'
import { type LogReset, LogResetError } from '../../hub/log/log-reset.js'
import { readEvents, readLogEnds } from '../../hub/log/read.js'
import type { EventTail } from '../../hub/log/tail.js'
import { shardNumbers } from '../../hub/shard-count.js'
import type { Database } from '../../platform/db/connection.js'
import { isUnavailable } from '../../platform/db/connection-errors.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { everythingStale } from './cache-tags.js'
import { INVALIDATION_CHANNEL, type Invalidation } from './invalidation.js'
import { startAtNextBlock } from './local-commits.js'

export interface CacheFollowerOptions {
  readonly db: Database
  /** The connection for LISTEN. */
  readonly listener: Database
  readonly invalidation: Invalidation
  readonly tail: EventTail
  readonly shards: number
  readonly log: Log
}

const PAGE_SIZE = 1000
const RETRY_MS = 1000

/**
 * Invalidates the caches of this process when other processes change the database: it follows the event log, at most
 * a second behind, and listens for published tags. When it loses its position in either, it invalidates everything.
 *
 * @returns Stops it.
 */
export async function startCacheFollower(options: CacheFollowerOptions): Promise<() => Promise<void>> {
  const { listener, invalidation } = options
  const stopping = new AbortController()
  const listening = await listener.listen(
    INVALIDATION_CHANNEL,
    (tag) => invalidation.apply({ tags: [tag] }),
    // Runs at every connect: tags that were published without a connection are lost.
    () => invalidation.apply(everythingStale),
  )
  const following = followLog(options, stopping.signal)
  return async () => {
    stopping.abort()
    await following
    // If the connection is lost, there is nothing to unlisten.
    await listening.unlisten().catch(() => {})
  }
}

/** Follows the log until the signal. `ranges` remain to be read; null: the position in the log is unknown. */
async function followLog(options: CacheFollowerOptions, signal: AbortSignal): Promise<void> {
  const { db, invalidation, tail, log } = options
  let ranges: readonly ShardRange[] | null = null
  let isFailing = false
  while (!signal.aborted) {
    try {
      if (ranges === null || invalidation.blocks.isLost()) ranges = await rangesFromLogEnd(options)
      const unread = invalidation.localCommits.skip(ranges)
      if (unread !== ranges) {
        ranges = unread
        await tail.wait(positionsOf(ranges), signal)
        continue
      }
      const page = await applyPage(db, invalidation, ranges, PAGE_SIZE)
      ranges = page.remaining
      if (isFailing) log.info({}, 'cache invalidation reads the event log again')
      isFailing = false
      if (page.isEnd) await tail.wait(positionsOf(ranges), signal)
    } catch (error) {
      if (signal.aborted) return
      if (ranges !== null && isUnavailable(error)) {
        // The position stays known. While the database is unavailable, the caches answer with what they have.
        if (!isFailing) log.warn({ err: error }, 'cache invalidation cannot read the event log: retrying')
        isFailing = true
        await pause(RETRY_MS, signal)
        continue
      }
      const isReset = error instanceof LogResetError
      if (isReset) {
        if (await isLagging(tail, ranges ?? [], error.reset)) {
          await pause(RETRY_MS, signal)
          continue
        }
        tail.reportReset('caches', error.reset)
      } else {
        if (ranges !== null || !isFailing)
          log.warn({ err: error }, 'cache invalidation lost the event log: caches are cleared, retrying')
        isFailing = true
      }
      ranges = null
      invalidation.loseLog()
      if (!isReset) await pause(RETRY_MS, signal)
    }
  }
}

/**
 * Whether a reset is only the lag of a replica. False if the database does not answer: to clear the caches in vain is safe.
 */
async function isLagging(tail: EventTail, ranges: readonly ShardRange[], reset: LogReset): Promise<boolean> {
  return await isReplicaLag(tail, ranges, reset).catch(() => false)
}

/** Applies a page of the log. Returns the ranges that remain. */
export async function applyPage(
  db: Database,
  invalidation: Invalidation,
  ranges: readonly ShardRange[],
  limit: number,
): Promise<{ remaining: readonly ShardRange[]; isEnd: boolean }> {
  const { events, next, remaining } = await readEvents(db, ranges, { limit, reverse: false })
  const bodies = events.map(({ shard, id, event }) => ({ shard, id, body: hubEventBody(event) }))
  const isEnd = next === null
  invalidation.applyEvents(bodies)
  invalidation.blocks.read(bodies, isEnd)
  return { remaining: isEnd ? remaining.map(startAtNextBlock) : remaining, isEnd }
}

/** Starts at the end of the log. Entries that were cached before may be stale, so everything is invalidated. */
export async function rangesFromLogEnd({
  db,
  invalidation,
  shards,
}: Pick<CacheFollowerOptions, 'db' | 'invalidation' | 'shards'>): Promise<ShardRange[]> {
  invalidation.blocks.prepare()
  const ends = await readLogEnds(db, shardNumbers(shards))
  invalidation.apply(everythingStale)
  // Without an event of the last block the log is empty, or all of it has expired.
  const known = ends.filter(({ lastId, height }) => height > 0 && height === blockOf(lastId))
  invalidation.blocks.start(
    new Map(ends.map(({ shard, lastId }) => [shard, Math.max(0, blockOf(lastId))])),
    new Map(known.map(({ shard, hash }) => [shard, hash])),
  )
  return ends.map((end) => {
    const { shard, lastId, height, hash } = end
    const range = startAtNextBlock(openEndedRange(shard, lastId + 1))
    return known.includes(end) ? { ...range, history: [{ height, hash }] } : range
  })
}
