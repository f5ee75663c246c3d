import type { Database } from '../../platform/db/connection.js'
import type { Authors } from './author-activity.js'
import type { Invalidation } from './invalidation.js'
import { type CacheLookups, TaggedCache } from './tagged-cache.js'

/** A value that was read, and the tags of its sources (`cache-tags.ts`). */
export interface Tagged<Value> {
  readonly value: Value
  readonly tags: readonly string[]
  /** The users whose casts and recasts are sources, where they are too many for tags. */
  readonly authors?: Authors
}

type Load<Value> = (db: Database) => Promise<Tagged<Value>>

interface CachedRead {
  readonly value: unknown
  readonly readAtMs: number
  readonly authors: Authors | undefined
  /** The authors were not active before this offset. */
  unaffectedUntil: number
}

const MAX_CACHED_READS = 1_000
/**
 * Authors and rows of a value that weighs as one: a set of 5,000 authors takes 164 kB, and one caller can ask for the same feed
 * with a hundred limits, or go on in hundreds of rankings of 1,000 rows.
 */
const ORDINARY_LENGTH = 500

function weightOf({ value, authors }: CachedRead): number {
  return 1 + Math.floor((lengthOf(value) + lengthOf(authors)) / ORDINARY_LENGTH)
}

function lengthOf(value: unknown): number {
  if (value instanceof Set || value instanceof Map) return value.size
  return Array.isArray(value) ? value.length : 0
}

/**
 * A cache of reads that runs each read once for concurrent requests. An invalidation of a tag, or activity of one of
 * the authors, drops the value and detaches a read that is in flight: a later request starts a new one.
 */
export class SingleFlightCache {
  readonly #db: Database
  readonly #cache: TaggedCache<CachedRead>
  /** Reads in flight, and the version at which each began. */
  readonly #inFlight = new Map<string, { since: number; reading: Promise<unknown> }>()

  /**
   * @param db What values are loaded from: the primary. A value that a replica is behind with would stay until the next
   *   invalidation, because the one that it lacks has been applied already.
   * @param clock Unix milliseconds.
   * @param isCaching False shares reads that are in flight and keeps no values.
   */
  constructor(
    db: Database,
    private readonly clock: () => number,
    private readonly invalidation: Invalidation,
    isCaching = true,
  ) {
    this.#db = db
    const maxEntries = isCaching ? MAX_CACHED_READS : 0
    this.#cache = new TaggedCache({ invalidation, maxEntries }, weightOf)
  }

  /** Lookups so far, by result. */
  get lookups(): CacheLookups {
    return this.#cache.lookups
  }

  /**
   * @param key Contains everything that the value depends on, so that different values have different keys.
   * @param maxAgeMs The age up to which a cached value is returned; none is kept for more than ten minutes (`TaggedCache`).
   * @param load Reads from this database, and not from the one of the request.
   */
  async read<Value>(key: string, maxAgeMs: number, load: Load<Value>): Promise<Value> {
    const cached = this.#cache.get(key)
    if (cached && this.clock() - cached.readAtMs <= maxAgeMs && this.#isUnaffected(cached))
      return cached.value as Value
    return await this.#joinOrStart(key, load)
  }

  /**
   * Reads a value that no change makes stale before its age does. Requests join a read in flight whatever has changed since it
   * began: with 20 commits in a second each would start another.
   */
  async readUntagged<Value>(
    key: string,
    maxAgeMs: number,
    load: (db: Database) => Promise<Value>,
  ): Promise<Value> {
    const cached = this.#cache.get(key)
    if (cached && this.clock() - cached.readAtMs <= maxAgeMs) return cached.value as Value
    const inFlight = this.#inFlight.get(key)
    if (inFlight) return inFlight.reading as Promise<Value>
    return await this.#joinOrStart(key, async (db) => ({ value: await load(db), tags: [] }))
  }

  /** Whether the cache has a value for a key. */
  has(key: string): boolean {
    return this.#cache.get(key) !== undefined
  }

  #isUnaffected(cached: CachedRead): boolean {
    if (!cached.authors) return true
    const { authors } = this.invalidation
    if (authors.hasAny(cached.authors, cached.unaffectedUntil)) return false
    cached.unaffectedUntil = authors.endOffset
    return true
  }

  #joinOrStart<Value>(key: string, load: Load<Value>): Promise<Value> {
    const since = this.#cache.currentVersion()
    const inFlight = this.#inFlight.get(key)
    if (inFlight?.since === since) return inFlight.reading as Promise<Value>
    const reading = this.#load(key, since, load).finally(() => {
      if (this.#inFlight.get(key)?.reading === reading) this.#inFlight.delete(key)
    })
    this.#inFlight.set(key, { since, reading })
    return reading
  }

  async #load<Value>(key: string, since: number, load: Load<Value>): Promise<Value> {
    const unaffectedUntil = this.invalidation.authors.endOffset
    const { value, tags, authors } = await load(this.#db)
    this.#cache.put(key, { value, readAtMs: this.clock(), authors, unaffectedUntil }, () => tags, since)
    return value
  }
}
