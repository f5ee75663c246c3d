import { LRUCache } from 'lru-cache'
import type { Database } from '../../platform/db/connection.js'
import { DataLoader } from '../load/data-loader.js'
import { type LoadedUserRelations, loadUserRelations } from '../load/user-relations.js'
import type { CommittedBlock, LogState, ShardHeights } from './block-sequence.js'
import { cacheTag, mutingFidOf } from './cache-tags.js'
import type { Invalidation, TaggedStore } from './invalidation.js'
import { applyChanges, relationChangesOf } from './relation-changes.js'
import { UserSets } from './user-sets.js'

export interface ViewerSetsOptions {
  readonly db: Database
  readonly invalidation: Invalidation
  /** The most bytes of all sets; 0 keeps and loads none. */
  readonly maxBytes: number
}

/** The sets of a user in the cache. */
interface Entry {
  readonly sets: UserSets
  /** The blocks that the sets contained when they were read. */
  readonly heights: ShardHeights
  /** As counted. */
  bytes: number
}

/**
 * A user who has more relations than this when they are read has no sets: one statement reads at most so many rows for a user,
 * 400 kB. Pages of such a viewer read their relations themselves. Sets that are in the cache already may grow beyond it.
 */
const MAX_RELATIONS = 50_000
/** Users of one statement. */
const MAX_BATCH_SIZE = 16
/** Reads of one load: a snapshot that is older than the state, or a mute during the read, takes another one. */
const MAX_ATTEMPTS = 3
/** Users that are known to have no sets, and for how long: each would be counted again at each of its pages. */
const MAX_LARGE_USERS = 100_000
const MAX_LARGE_USER_AGE_MS = 600_000
/** Each compact state looks at every user in the cache: beyond this many in a block all are read again instead. */
const MAX_COMPACT_STATES = 16

/**
 * The relations of viewers, whole: one statement on a miss, then changed by the blocks of the log. What a page asks
 * about its viewer is answered from memory for as long as the viewer is in the cache, whatever it or others do. With 300
 * follows, followers and likes, relations to the 40 users and 25 casts of a page cost 0.01 ms of CPU; a statement for them
 * costs the server 0.8 and PostgreSQL 0.7 ms, and the one that reads all of them, once, 1.1 and 1.2 ms.
 *
 * Mutes are not in the log: a change of a user's mutes drops its sets (`cacheTag.mutes`).
 */
export class ViewerSets implements LogState, TaggedStore {
  /** By fid; least recently used first. */
  readonly #entries = new Map<number, Entry>()
  readonly #loading = new Map<number, Promise<UserSets | null>>()
  readonly #loader: DataLoader<number, ReadonlyMap<number, UserSets | null>>
  readonly #large = new LRUCache<number, true>({
    // Not `max`, which takes the memory of all at once.
    maxSize: MAX_LARGE_USERS,
    sizeCalculation: () => 1,
    ttl: MAX_LARGE_USER_AGE_MS,
  })
  #bytes = 0
  /** Lookups so far. */
  readonly lookups = { hit: 0, miss: 0, large: 0 }

  constructor(private readonly options: ViewerSetsOptions) {
    this.#loader = new DataLoader((fids: readonly number[]) => this.#loadBatch(fids), MAX_BATCH_SIZE)
    if (options.maxBytes === 0) return
    options.invalidation.blocks.add(this)
    options.invalidation.add(this)
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The sets of a user, if they are in the cache and contain everything that this process wrote. */
  get(fid: number): UserSets | undefined {
    const entry = this.#entries.get(fid)
    if (!entry || !this.options.invalidation.blocks.isCurrent()) return undefined
    this.#entries.delete(fid)
    this.#entries.set(fid, entry)
    this.lookups.hit += 1
    return entry.sets
  }

  /**
   * Loads the sets of a user. Null for a user with too many relations, and while this process waits for blocks of
   * others before its own: the caller reads what it needs from the database.
   */
  async load(fid: number): Promise<UserSets | null> {
    const cached = this.get(fid)
    if (cached) return cached
    const { maxBytes, invalidation } = this.options
    if (maxBytes === 0 || !invalidation.blocks.isCurrent()) return null
    if (this.#large.has(fid)) {
      this.lookups.large += 1
      return null
    }
    this.lookups.miss += 1
    let loading = this.#loading.get(fid)
    if (!loading) {
      loading = this.#load(fid).finally(() => this.#loading.delete(fid))
      this.#loading.set(fid, loading)
    }
    return await loading
  }

  applyBlock(block: CommittedBlock): void {
    if (this.#entries.size === 0) return
    const changes = relationChangesOf(block)
    if (changes.compactStates.length > MAX_COMPACT_STATES) {
      this.reset()
      return
    }
    const entries = this.#entries
    const concerns = ({ heights }: Entry) => block.height > (heights.get(block.shard) ?? 0)
    const changed = new Set<Entry>()
    applyChanges(changes, {
      get(fid) {
        const entry = entries.get(fid)
        if (!entry || !concerns(entry)) return undefined
        changed.add(entry)
        return entry.sets
      },
      delete: (fid) => {
        const entry = entries.get(fid)
        return entry !== undefined && concerns(entry) && this.#drop(fid)
      },
      *values() {
        for (const entry of entries.values()) if (concerns(entry)) yield entry.sets
        return undefined
      },
    })
    for (const entry of changed) if (entries.has(entry.sets.fid)) this.#count(entry)
    this.#shrink()
  }

  /** Called by `BlockSequence`. Loads in flight lose their position there, and read again. */
  reset(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  /** Called by `Invalidation`. */
  evict(tags: readonly string[]): void {
    if (this.#entries.size === 0) return
    for (const tag of tags) {
      const fid = mutingFidOf(tag)
      if (fid !== null) this.#drop(fid)
    }
  }

  /**
   * Called by `Invalidation` for what concerns all views, such as new scores and compact states, and keeps the sets:
   * the log says what changes them. What makes them stale, such as a lost connection, calls `reset`.
   */
  empty(): void {}

  async #load(fid: number): Promise<UserSets | null> {
    return (await this.#loader.load([fid])).get(fid) ?? null
  }

  async #loadBatch(fids: readonly number[]): Promise<ReadonlyMap<number, UserSets | null>> {
    const results = new Map<number, UserSets | null>()
    let missing = fids
    let attempts = 0
    while (missing.length > 0 && attempts < MAX_ATTEMPTS) {
      attempts += 1
      for (const [fid, sets] of await this.#readOnce(missing)) results.set(fid, sets)
      missing = missing.filter((fid) => !results.has(fid))
    }
    // While others were read again, sets of an earlier read may have left the cache: nothing tells them of a mute since.
    const isOutdated = ([fid, sets]: [number, UserSets | null]) =>
      sets !== null && this.#entries.get(fid)?.sets !== sets
    if (attempts > 1) for (const [fid] of [...results].filter(isOutdated)) results.set(fid, null)
    return results
  }

  /** Reads users and adds them to the cache. The result lacks those who changed in a way that takes another read. */
  async #readOnce(fids: readonly number[]): Promise<Map<number, UserSets | null>> {
    const { db, invalidation } = this.options
    const version = invalidation.currentVersion()
    const pending = invalidation.blocks.load()
    try {
      const { heights, users } = await loadUserRelations(db, fids, MAX_RELATIONS)
      const blocks = pending.blocksAfter(heights)
      if (blocks === null) return new Map()
      return this.#add(users, heights, blocks, version)
    } finally {
      pending.end()
    }
  }

  #add(
    users: LoadedUserRelations['users'],
    heights: ShardHeights,
    blocks: readonly CommittedBlock[],
    version: number,
  ): Map<number, UserSets | null> {
    const added = new Map<number, UserSets>()
    const results = new Map<number, UserSets | null>()
    for (const [fid, relations] of users) {
      if (relations) added.set(fid, new UserSets(fid, relations))
      else {
        this.#large.set(fid, true)
        results.set(fid, null)
      }
    }
    for (const block of blocks) applyChanges(relationChangesOf(block), added)
    for (const [fid, sets] of added) {
      if (!this.options.invalidation.isFresh([cacheTag.mutes(fid)], version)) continue
      results.set(fid, sets)
      this.#put(fid, sets, heights)
    }
    this.#shrink()
    return results
  }

  #put(fid: number, sets: UserSets, heights: ShardHeights): void {
    this.#drop(fid)
    const entry = { sets, heights, bytes: 0 }
    this.#entries.set(fid, entry)
    this.#count(entry)
  }

  #drop(fid: number): boolean {
    this.#bytes -= this.#entries.get(fid)?.bytes ?? 0
    return this.#entries.delete(fid)
  }

  /** Counts the bytes of an entry anew. */
  #count(entry: Entry): void {
    const bytes = entry.sets.byteLength
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
  }

  /** Drops the least recently used sets until the rest has room. */
  #shrink(): void {
    for (const fid of this.#entries.keys()) {
      if (this.#bytes <= this.options.maxBytes) return
      this.#drop(fid)
    }
  }
}
