import type { Invalidation } from './invalidation.js'

/**
 * An entry that no tag drops lives no longer than this. Tags are exact for everything that Plaza writes, which property
 * tests hold (`hydrator.test.ts`); what remains are rows that somebody changes by hand. One minute would load 200,000
 * hot entries 3,300 times a second; ten minutes load them 330 times, and what is spread over the last five of them 440 times.
 */
const MAX_AGE_SECONDS = 600
/** So much earlier some of them end. */
const AGE_SPREAD_SECONDS = 300

/** Most entries have fewer tags. A reply deep in a thread has one for each cast above it, of 100 bytes. */
const ORDINARY_TAGS = 32

/** Lookups in a cache so far, by result: `hit`, `miss` and others. */
export type CacheLookups = Readonly<Record<string, number>>

export interface TaggedCacheOptions {
  readonly invalidation: Invalidation
  /** 0 caches nothing. */
  readonly maxEntries: number
}

/** How much of the room of `maxEntries` a value takes; 1 for all without it. */
type Weigh<Value> = (value: Value) => number

interface Entry<Value> {
  readonly value: Value
  readonly weight: number
  readonly tags: readonly string[]
  /** By `nowSeconds`. A whole number stands in the entry; any other is a box, one more miss of the processor's caches. */
  readonly until: number
  /** Whether it was asked for since it entered the cache, or since the last search for one to drop. */
  isUsed: boolean
}

/**
 * A bounded cache whose entries are dropped by the tags of their sources.
 *
 * Take `currentVersion` before a read and pass it to `put`: a value that was read before one of its tags was
 * invalidated does not enter the cache.
 *
 * A full cache drops an entry that nobody asked for, by SIEVE (Zhang et al., NSDI 2024): a lookup marks its entry and moves
 * nothing. Against `lru-cache` and a set of keys for each tag, measured with 60,000 casts of six tags and room for 20,000: 0.54
 * instead of 0.50 of the lookups hit, entries take 2.4 kB less, and 25 lookups with their misses 160 µs instead of 240.
 */
export class TaggedCache<Value extends object, Key extends string | number = string> {
  readonly #invalidation: Invalidation
  readonly #maxEntries: number
  readonly #weigh: Weigh<Value>
  /** Sum of the weights of all entries. */
  #weight = 0
  readonly #entries = new Map<Key, Entry<Value>>()
  /** Where the search for an entry to drop goes on; null for the beginning. See `#letGo`. */
  #hand: MapIterator<[Key, Entry<Value>]> | null = null
  #putsSinceSearch = 0
  #puts = 0
  /** Most tags have one key. */
  readonly #keysByTag = new Map<string, Key | Set<Key>>()
  /** Lookups so far, by result. */
  readonly lookups = { hit: 0, miss: 0 } satisfies CacheLookups

  /** @param commonTags Tags that all entries have, beside their own. */
  constructor(
    { invalidation, maxEntries }: TaggedCacheOptions,
    weigh: Weigh<Value> = () => 1,
    private readonly commonTags: readonly string[] = [],
  ) {
    this.#weigh = weigh
    this.#invalidation = invalidation
    this.#maxEntries = maxEntries
    invalidation.add(this)
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.until < nowSeconds()) {
      if (entry !== undefined) this.delete(key)
      this.lookups.miss += 1
      return undefined
    }
    this.lookups.hit += 1
    entry.isUsed = true
    return entry.value
  }

  /** The version to pass to `put`. */
  currentVersion(): number {
    return this.#invalidation.currentVersion()
  }

  /** @param tagsOf The tags of the sources; not called when the cache is disabled. */
  put(key: Key, value: Value, tagsOf: () => readonly string[], readVersion: number): void {
    if (this.#maxEntries === 0) return
    const tags = tagsOf()
    if (!this.#invalidation.isFresh(tags, readVersion)) return
    if (!this.#invalidation.isFresh(this.commonTags, readVersion)) return
    this.delete(key)
    const weight = this.#weigh(value) + Math.floor(tags.length / ORDINARY_TAGS)
    if (weight > this.#maxEntries) return
    while (this.#weight + weight > this.#maxEntries) this.#dropOne()
    this.#letGo()
    this.#weight += weight
    this.#entries.set(key, { value, weight, tags, until: nowSeconds() + this.#nextAge(), isUsed: false })
    for (const tag of tags) this.#tag(key, tag)
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    for (const tag of entry.tags) this.#untag(key, tag)
  }

  /** Called by `Invalidation`. */
  evict(tags: readonly string[]): void {
    if (this.#entries.size === 0) return
    if (this.commonTags.some((tag) => tags.includes(tag))) this.empty()
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag)
      if (keys instanceof Set) for (const key of [...keys]) this.delete(key)
      else if (keys !== undefined) this.delete(keys)
    }
  }

  /** Called by `Invalidation`. */
  empty(): void {
    this.#hand = null
    this.#weight = 0
    this.#entries.clear()
    this.#keysByTag.clear()
  }

  /** Seconds that the next entry lives. What is loaded at once, as after a start, must not be loaded again at once. */
  #nextAge(): number {
    this.#puts += 1
    return MAX_AGE_SECONDS - (this.#puts % AGE_SPREAD_SECONDS)
  }

  /** Drops the next entry that is not marked, and takes the marks of those before it. */
  #dropOne(): void {
    this.#putsSinceSearch = 0
    for (;;) {
      this.#hand ??= this.#entries.entries()
      const { value: next, done } = this.#hand.next()
      if (done) this.#hand = null
      else if (next[1].isUsed) next[1].isUsed = false
      else {
        this.delete(next[0])
        return
      }
    }
  }

  /**
   * Forgets where a search ended that has not gone on for a while. V8 gives a map that is rewritten often a new table from
   * time to time, and an iterator that stands still keeps the old ones, with all that they held: a million values put into
   * 2,000 keys took 363 MB instead of 3. So at most a quarter of the cache is kept beside it.
   */
  #letGo(): void {
    this.#putsSinceSearch += 1
    if (this.#putsSinceSearch > this.#entries.size / 4) this.#hand = null
  }

  #tag(key: Key, tag: string): void {
    const keys = this.#keysByTag.get(tag)
    if (keys === undefined || keys === key) this.#keysByTag.set(tag, key)
    else if (keys instanceof Set) keys.add(key)
    else this.#keysByTag.set(tag, new Set([keys, key]))
  }

  #untag(key: Key, tag: string): void {
    const keys = this.#keysByTag.get(tag)
    if (keys === key) this.#keysByTag.delete(tag)
    else if (keys instanceof Set && keys.delete(key) && keys.size === 0) this.#keysByTag.delete(tag)
  }
}

/** Whole seconds since the process started. */
function nowSeconds(): number {
  return Math.floor(performance.now() / 1000)
}

/** Splits ids, each once, into those with a cached value and those to load. */
export function splitCached<Id, Cached>(
  ids: Iterable<Id>,
  get: (id: Id) => Cached | undefined,
): { cached: Map<Id, Cached>; missing: Id[] } {
  const cached = new Map<Id, Cached>()
  const missing: Id[] = []
  for (const id of new Set(ids)) {
    const value = get(id)
    if (value === undefined) missing.push(id)
    else cached.set(id, value)
  }
  return { cached, missing }
}

/** The distinct values, in the order in which each comes first. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
