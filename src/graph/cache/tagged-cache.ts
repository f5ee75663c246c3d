import { LRUCache } from 'lru-cache'
import type { Invalidation } from './invalidation.js'

/**
 * An entry that no tag drops lives no longer than this. Tags are exact for everything that Plaza writes, which property
 * tests hold (`hydrator.test.ts`); what remains are rows that somebody changes by hand. A minute, as it was, loads 200,000
 * hot entries 3,300 times a second; ten minutes 330 times.
 */
const MAX_AGE_MS = 600_000

/** Look-ups in a cache so far, by result: `hit`, `miss` and others. */
export type CacheLookups = Readonly<Record<string, number>>

export interface TaggedCacheOptions {
  readonly invalidation: Invalidation
  /** 0 caches nothing. */
  readonly maxEntries: number
}

/**
 * A bounded LRU cache whose entries are dropped by the tags of their sources.
 *
 * Take `currentVersion` before a read and pass it to `put`: a value that was read before one of its tags was
 * invalidated does not enter the cache.
 */
export class TaggedCache<Value extends object> {
  readonly #invalidation: Invalidation
  readonly #isDisabled: boolean
  readonly #entries: LRUCache<string, { value: Value; tags: readonly string[] }>
  readonly #keysByTag = new Map<string, Set<string>>()
  /** Look-ups so far, by result. */
  readonly lookups = { hit: 0, miss: 0 } satisfies CacheLookups

  constructor({ invalidation, maxEntries }: TaggedCacheOptions) {
    this.#invalidation = invalidation
    this.#isDisabled = maxEntries === 0
    this.#entries = new LRUCache({
      // With `max` instead, the memory for all entries is taken at once, which was a tenth of the time of a start.
      maxSize: Math.max(1, maxEntries),
      sizeCalculation: () => 1,
      ttl: MAX_AGE_MS,
      ttlResolution: 1000,
      dispose: (entry, key) => this.#untag(key, entry.tags),
    })
    invalidation.add(this)
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key)?.value
    if (value === undefined) this.lookups.miss += 1
    else this.lookups.hit += 1
    return value
  }

  /** The version to pass to `put`. */
  currentVersion(): number {
    return this.#invalidation.currentVersion()
  }

  /** @param tagsOf The tags of the sources; not called when the cache is disabled. */
  put(key: string, value: Value, tagsOf: () => readonly string[], readVersion: number): void {
    if (this.#isDisabled) return
    const tags = tagsOf()
    if (!this.#invalidation.isFresh(tags, readVersion)) return
    this.#entries.set(key, { value, tags })
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag)
      if (keys) keys.add(key)
      else this.#keysByTag.set(tag, new Set([key]))
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  /** Called by `Invalidation`. */
  evict(tags: readonly string[]): void {
    if (this.#keysByTag.size === 0) return
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag)
      if (keys) for (const key of [...keys]) this.#entries.delete(key)
    }
  }

  /** Called by `Invalidation`. */
  empty(): void {
    this.#entries.clear()
    this.#keysByTag.clear()
  }

  #untag(key: string, tags: readonly string[]): void {
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysByTag.delete(tag)
    }
  }
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
