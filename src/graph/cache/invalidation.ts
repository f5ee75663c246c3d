import type { Fragment } from 'postgres'
import { shortHash } from '../../hub/log/block-history.js'
import { blockOf, eventId } from '../../hub/log/hub-event.js'
import type { ShardRange } from '../../hub/log/log-range.js'
import type { LoggedEvent } from '../../hub/log/write.js'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { HubEventType } from '../../protocol/definitions.js'
import { BlockSequence } from './block-sequence.js'
import { cacheTag, everythingStale, type StaleTags, staleTagsOf } from './cache-tags.js'

/** The PostgreSQL notification channel of changes that are not in the event log. A payload is one tag. */
export const INVALIDATION_CHANNEL = 'cache_invalidation'

/**
 * Publishes stale tags with the caller's transaction: when it commits, every process applies them. A process that
 * keeps caches also calls `Invalidation.apply` after the commit, so that its next read sees its own write.
 */
export async function publishInvalidation(db: Queryable, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return
  await db`
    select pg_notify(${INVALIDATION_CHANNEL}, tag)::text from unnest(${db.types.texts(tags)}::text[]) as tag
  `
}

/** The SQL expression that publishes one tag, for a statement that changes rows and publishes at once. */
export function publishSql(db: Queryable, tag: string | Fragment): Fragment {
  return db`pg_notify(${INVALIDATION_CHANNEL}, ${tag})::text`
}

/** Where a change that is not in the event log is written, and the caches of the process that writes it. */
export interface CacheWriter {
  readonly db: Database
  readonly invalidation: Invalidation
}

/** A writer in a process that keeps no caches, such as a command. */
export function uncachedWriter(db: Database): CacheWriter {
  return { db, invalidation: new Invalidation() }
}

/** A cache whose entries have tags. */
export interface TaggedStore {
  /** Drops the entries that have one of these tags. */
  evict(tags: readonly string[]): void
  /** Drops all entries. */
  empty(): void
}

/** Invalidated tags that are remembered. A read takes milliseconds; this many take seconds to be invalidated. */
const MAX_REMEMBERED_TAGS = 100_000

/**
 * The one way in which the caches of a process are invalidated. Tags arrive in three ways, all through `apply`:
 * - a merge by this process: `applyCommitted`, at its commit;
 * - a merge by another process: the follower of the event log (`cache-follower.ts`);
 * - a change that is not in the log: `publishInvalidation`, heard by the follower, and `apply` in the process itself.
 *
 * An entry carries the tags of its sources. `apply` drops every entry that has one of the tags, from every cache, and
 * keeps a read that began before from entering a cache (`isFresh`).
 */
export class Invalidation {
  /** Blocks that this process merged and applied: the follower of the log skips them. */
  readonly localCommits = new LocalCommits()
  readonly authors = new AuthorActivity()
  /** The blocks of the log in order, for what is not dropped and read again but changed in memory. */
  readonly blocks = new BlockSequence()
  readonly #caches: TaggedStore[] = []
  /** The version at which a tag was last invalidated, in ascending order. */
  readonly #versionByTag = new Map<string, number>()
  #version = 0
  #oldestKnownVersion = 0

  /** Registers a cache: `apply` drops its entries from now on. */
  add(cache: TaggedStore): void {
    this.#caches.push(cache)
  }

  /** The version to pass to `isFresh`. Take it before a read. */
  currentVersion(): number {
    return this.#version
  }

  /** Whether no tag was invalidated after a version; false when that version is forgotten. */
  isFresh(tags: readonly string[], sinceVersion: number): boolean {
    if (sinceVersion < this.#oldestKnownVersion) return false
    return tags.every((tag) => (this.#versionByTag.get(tag) ?? 0) <= sinceVersion)
  }

  /** Drops what these tags and authors make stale. Call it after the commit: a read that follows sees the change. */
  apply({ tags, authors = [] }: StaleTags): void {
    if (tags.length === 0 && authors.length === 0) return
    this.authors.record(authors)
    this.#version += 1
    if (tags.includes(cacheTag.tables)) this.blocks.resetStates()
    if (tags.includes(cacheTag.everything)) this.#clear()
    else this.#drop(tags)
  }

  /** Applies events that another process merged. */
  applyEvents(events: Parameters<typeof staleTagsOf>[0]): void {
    this.apply(staleTagsOf(events))
  }

  /** Applies events that this process merged, at their commit. */
  applyCommitted(events: readonly LoggedEvent[]): void {
    this.applyEvents(events)
    if (!this.blocks.commit(events)) this.loseLog()
    this.localCommits.record(events)
  }

  /** Forgets everything: the log went back, or the place in it is unknown. The follower starts again at its end. */
  loseLog(): void {
    this.localCommits.clear()
    this.blocks.lose()
    this.apply(everythingStale)
  }

  #drop(tags: readonly string[]): void {
    for (const tag of tags) {
      this.#versionByTag.delete(tag)
      this.#versionByTag.set(tag, this.#version)
    }
    this.#forgetOldTags()
    for (const cache of this.#caches) cache.evict(tags)
  }

  #clear(): void {
    this.#oldestKnownVersion = this.#version
    this.#versionByTag.clear()
    for (const cache of this.#caches) cache.empty()
  }

  #forgetOldTags(): void {
    for (const [tag, version] of this.#versionByTag) {
      if (this.#versionByTag.size <= MAX_REMEMBERED_TAGS) return
      this.#versionByTag.delete(tag)
      this.#oldestKnownVersion = version
    }
  }
}

/** A set of fids that can be asked for one by one. */
export interface Authors {
  has(fid: number): boolean
}

/** Fids that are remembered at least. */
const MIN_REMEMBERED_AUTHORS = 10_000

/**
 * A queue of users who cast or recasted, or removed a cast or recast. An entry made from the casts of thousands of users
 * checks it when it is read; a tag for each user would cost thousands of entries in the tag index.
 */
class AuthorActivity {
  #fids: number[] = []
  /** The offset of the oldest fid that is remembered. */
  #firstOffset = 0

  /** The offset behind all activity so far. */
  get endOffset(): number {
    return this.#firstOffset + this.#fids.length
  }

  record(fids: readonly number[]): void {
    for (const fid of fids) this.#fids.push(fid)
    if (this.#fids.length <= 2 * MIN_REMEMBERED_AUTHORS) return
    this.#firstOffset += this.#fids.length - MIN_REMEMBERED_AUTHORS
    this.#fids = this.#fids.slice(-MIN_REMEMBERED_AUTHORS)
  }

  /** Whether one of the authors was active at or after an offset; true when that offset is forgotten. */
  hasAny(authors: Authors, sinceOffset: number): boolean {
    if (sinceOffset < this.#firstOffset) return true
    for (let index = sinceOffset - this.#firstOffset; index < this.#fids.length; index += 1) {
      if (authors.has(this.#fids[index]!)) return true
    }
    return false
  }
}

/** Consecutive blocks of one branch of the log, `last` included. */
interface BlockRange {
  readonly first: number
  last: number
  /** Hashes by height: of the latest blocks, and of the one before the first. */
  readonly hashes: Map<number, string>
}

/** Hashes of local blocks that are remembered. The follower is behind by a few. */
const MAX_REMEMBERED_HASHES = 1_000

type LocalEvent = Pick<LoggedEvent, 'shard' | 'id'> & Partial<Pick<LoggedEvent, 'body' | 'parentHash'>>

/**
 * The latest blocks of each shard that this process merged. Their invalidation was applied at the commit, so the
 * follower of the log skips them. Blocks have no gaps: a process that merges alone reads none of its own blocks.
 */
export class LocalCommits {
  readonly #rangesByShard = new Map<number, BlockRange>()

  /** Records events that this process committed. Call it after their invalidation was applied. */
  record(events: readonly LocalEvent[]): void {
    for (const { shard, id, body, parentHash } of events) {
      const hash = body?.type === HubEventType.BLOCK_CONFIRMED ? shortHash(body.blockHash) : undefined
      this.#recordBlock(shard, blockOf(id), hash, parentHash && shortHash(parentHash))
    }
  }

  #recordBlock(shard: number, block: number, hash: string | undefined, parent: string | undefined): void {
    let range = this.#rangesByShard.get(shard)
    if (range && block === range.last + 1 && isSameHash(range.hashes.get(range.last), parent)) {
      range.last = block
    } else if (!range || block > range.last || !isSameHash(range.hashes.get(block), hash)) {
      range = { first: block, last: block, hashes: new Map() }
      if (parent) range.hashes.set(block - 1, parent)
      this.#rangesByShard.set(shard, range)
    }
    if (hash) range.hashes.set(block, hash)
    for (const oldest of range.hashes.keys()) {
      if (range.hashes.size <= MAX_REMEMBERED_HASHES) break
      range.hashes.delete(oldest)
    }
  }

  /**
   * Returns the ranges without local blocks at their start; the same array when there are none. Local blocks of another
   * branch than what was read before them stay: reading them shows that the log went back.
   *
   * @param ranges Each begins with a block.
   */
  skip(ranges: readonly ShardRange[]): readonly ShardRange[] {
    const remaining = ranges.map((range) => {
      const localRange = this.#rangesByShard.get(range.shard)
      const block = blockOf(range.from)
      if (!localRange || block < localRange.first || localRange.last < block) return range
      const { last, hashes } = localRange
      const read = range.history?.[0]
      if (read && !isSameHash(hashes.get(read.height), read.hash)) return range
      const hash = hashes.get(last)
      const { history: _, ...rest } = range
      const from = eventId(last + 1, 0)
      return { ...rest, from, ...(hash === undefined ? {} : { history: [{ height: last, hash }] }) }
    })
    return remaining.some((range, index) => range !== ranges[index]) ? remaining : ranges
  }

  /** Forgets all blocks: the log went back. */
  clear(): void {
    this.#rangesByShard.clear()
  }
}

/** Whether two hashes may be the same: an unknown one may be any. */
function isSameHash(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other
}

/** Moves a range to the start of the next block, unless it is at a start. A block is committed whole. */
export function startAtNextBlock(range: ShardRange): ShardRange {
  const block = blockOf(range.from)
  const blockStart = eventId(block, 0)
  return blockStart === range.from ? range : { ...range, from: eventId(block + 1, 0) }
}
