import { blockOf, hubEventBody } from '../../hub/log/hub-event.js'
import { readEvents, readLogEnds, type ShardRange } from '../../hub/log/read.js'
import type { EventTail } from '../../hub/log/tail.js'
import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { cacheTag } from './cache-tags.js'
import { INVALIDATION_CHANNEL, type Invalidation, startAtNextBlock } from './invalidation.js'

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
/** A range without an end: no event id is larger (docs/protocol.md §1.3). */
const NO_STOP_ID = Number.MAX_SAFE_INTEGER
const everything = { tags: [cacheTag.everything, cacheTag.tables] }

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
    () => invalidation.apply(everything),
  )
  const following = followLog(options, stopping.signal)
  return async () => {
    stopping.abort()
    await following
    await listening.unlisten()
  }
}

async function followLog(options: CacheFollowerOptions, signal: AbortSignal): Promise<void> {
  const { db, invalidation, tail, log } = options
  let ranges: readonly ShardRange[] | null = null
  while (!signal.aborted) {
    try {
      if (ranges === null || invalidation.blocks.isLost()) ranges = await rangesFromLogEnd(options)
      const unread = invalidation.localCommits.skip(ranges)
      if (unread !== ranges) {
        ranges = unread
        await waitForNewEvents(ranges, tail, signal)
        continue
      }
      const page = await applyPage(db, invalidation, ranges, PAGE_SIZE)
      ranges = page.remaining
      if (page.isEnd) await waitForNewEvents(ranges, tail, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error }, 'cache invalidation lost the event log: caches are cleared, retrying')
      ranges = null
      invalidation.blocks.lose()
      invalidation.apply(everything)
      await pause(RETRY_MS, signal)
    }
  }
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

async function waitForNewEvents(
  ranges: readonly ShardRange[],
  tail: EventTail,
  signal: AbortSignal,
): Promise<void> {
  const positions = ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 }))
  await tail.wait(positions, signal)
}

/** Starts at the end of the log. Entries that were cached before may be stale, so everything is invalidated. */
export async function rangesFromLogEnd({
  db,
  invalidation,
  shards,
}: Pick<CacheFollowerOptions, 'db' | 'invalidation' | 'shards'>): Promise<ShardRange[]> {
  invalidation.blocks.prepare()
  const ends = await readLogEnds(
    db,
    Array.from({ length: shards }, (_, index) => index + 1),
  )
  invalidation.apply(everything)
  invalidation.blocks.start(new Map(ends.map(({ shard, lastId }) => [shard, Math.max(0, blockOf(lastId))])))
  return ends.map(({ shard, lastId }) => startAtNextBlock({ shard, from: lastId + 1, stop: NO_STOP_ID }))
}
