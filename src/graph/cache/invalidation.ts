import type { Fragment } from '#postgres'
import type { LoggedEvent } from '../../hub/log/write.js'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { AuthorActivity } from './author-activity.js'
import { BlockSequence } from './block-sequence.js'
import { cacheTag, everythingStale, type StaleTags, staleTagsOf } from './cache-tags.js'
import { LocalCommits } from './local-commits.js'

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

/** The database for a change that is not in the event log, and the caches of the process that writes it. */
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

/**
 * Invalidated tags of a generation; two generations are remembered. A read takes milliseconds, this many invalidations
 * seconds.
 */
const MAX_TAGS_OF_GENERATION = 50_000

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
  /** The blocks of the log in order, for states in memory that change with them. */
  readonly blocks = new BlockSequence()
  readonly #caches: TaggedStore[] = []
  /** The version at which a tag was last invalidated. */
  #versionByTag = new Map<string, number>()
  /** The previous generation, and the version at which it ended. */
  #before = { versionByTag: new Map<string, number>(), endVersion: 0 }
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
    return tags.every((tag) => {
      const version = this.#versionByTag.get(tag) ?? this.#before.versionByTag.get(tag) ?? 0
      return version <= sinceVersion
    })
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

  /**
   * Clears the caches and the position in the log: the log went back, or the position is unknown. The follower starts again
   * at the end of the log.
   */
  loseLog(): void {
    this.localCommits.clear()
    this.blocks.lose()
    this.apply(everythingStale)
  }

  #drop(tags: readonly string[]): void {
    for (const tag of tags) this.#versionByTag.set(tag, this.#version)
    if (this.#versionByTag.size > MAX_TAGS_OF_GENERATION) this.#beginGeneration()
    for (const cache of this.#caches) cache.evict(tags)
  }

  #clear(): void {
    this.#beginGeneration()
    this.#beginGeneration()
    for (const cache of this.#caches) cache.empty()
  }

  /**
   * Drops the oldest generation as a whole. Deletion of the oldest tags one at a time would leave holes in the map, and walk
   * over them each time.
   */
  #beginGeneration(): void {
    this.#oldestKnownVersion = this.#before.endVersion
    this.#before = { versionByTag: this.#versionByTag, endVersion: this.#version }
    this.#versionByTag = new Map()
  }
}
