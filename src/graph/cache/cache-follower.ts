import { hubEventBody } from '../../hub/log/hub-event.js'
import { readEvents, readLogEnds, type ShardRange } from '../../hub/log/read.js'
import type { EventTail } from '../../hub/log/tail.js'
import type { Database, Queryable } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { findStaleViews } from './cache-tags.js'
import type { Hydrator } from './hydrator.js'
import { type LocalCommits, startAtNextBlock } from './local-commits.js'

/** What is not told by messages, such as an edit of a channel, is notified here, as a tag of `cache-tags.ts`. */
export const staleViewChannel = 'stale_views'

/** A notification that says that everything may be stale, such as new scores. */
export const allViewsStale = '*'

/** Tells every process that the views with this tag are stale, or all are; it hears of it when the caller commits. */
export async function notifyStaleViews(db: Queryable, tag: string): Promise<void> {
  await db`select pg_notify(${staleViewChannel}, ${tag})`
}

export interface CacheFollowerOptions {
  readonly db: Database
  /** For LISTEN. */
  readonly listener: Database
  readonly hydrator: Hydrator
  /** What this process merges itself. */
  readonly localCommits: LocalCommits
  readonly tail: EventTail
  readonly shards: number
  readonly log: Log
}

const PAGE_SIZE = 1000
const RETRY_MS = 1000
/** Ids are counted up from here: above every id that a log can hold (docs/protocol.md §1.3). */
const NO_STOP_ID = Number.MAX_SAFE_INTEGER

/**
 * Keeps a hydrator's caches as fresh as the event log: whatever process merged, what it changed is dropped here
 * as soon as the log is read, which is at most a second later. When the place in the log is lost, everything goes.
 *
 * @returns ends it.
 */
export async function startCacheFollower(options: CacheFollowerOptions): Promise<() => Promise<void>> {
  const { listener, hydrator } = options
  const stopping = new AbortController()
  const listening = await listener.listen(
    staleViewChannel,
    (tag) => (tag === allViewsStale ? hydrator.clear() : hydrator.drop([tag])),
    // Called at every connect: what was notified while there was no connection is not known.
    () => hydrator.clear(),
  )
  const following = followLog(options, stopping.signal)
  return async () => {
    stopping.abort()
    await following
    await listening.unlisten()
  }
}

async function followLog(options: CacheFollowerOptions, signal: AbortSignal): Promise<void> {
  let ranges: readonly ShardRange[] | null = null
  while (!signal.aborted) {
    try {
      ranges ??= await rangesFromLogEnd(options)
      const unread = options.localCommits.skip(ranges)
      if (unread !== ranges) {
        ranges = unread
        await waitForNewEvents(ranges, options.tail, signal)
        continue
      }
      const page = await readEvents(options.db, ranges, { limit: PAGE_SIZE, reverse: false })
      dropStaleViews(
        options.hydrator,
        page.events.map(({ event }) => ({ body: hubEventBody(event) })),
      )
      ranges = page.remaining
      if (!page.next) {
        ranges = ranges.map(startAtNextBlock)
        await waitForNewEvents(ranges, options.tail, signal)
      }
    } catch (error) {
      if (signal.aborted) return
      options.log.warn({ err: error }, 'views are not kept ready until the log can be followed again')
      ranges = null
      options.hydrator.clear()
      await pause(RETRY_MS, signal)
    }
  }
}

async function waitForNewEvents(
  ranges: readonly ShardRange[],
  tail: EventTail,
  signal: AbortSignal,
): Promise<void> {
  const positions = ranges.map(({ shard, from }) => ({ shard, lastId: from - 1 }))
  await tail.wait(positions, signal)
}

/** From the end of the log: what was read before is not known to be fresh, so nothing is kept of it. */
async function rangesFromLogEnd({ db, hydrator, shards }: CacheFollowerOptions): Promise<ShardRange[]> {
  const ends = await readLogEnds(
    db,
    Array.from({ length: shards }, (_, index) => index + 1),
  )
  hydrator.clear()
  return ends.map(({ shard, lastId }) => startAtNextBlock({ shard, from: lastId + 1, stop: NO_STOP_ID }))
}

/** Drops what these events have made untrue. They are committed: what is read from now on is what they left. */
export function dropStaleViews(hydrator: Hydrator, events: Parameters<typeof findStaleViews>[0]): void {
  if (events.length === 0) return
  const stale = findStaleViews(events)
  if (stale) hydrator.drop(stale.tags, stale.authors)
  else hydrator.clear()
}
