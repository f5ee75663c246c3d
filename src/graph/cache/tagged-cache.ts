import { LRUCache } from 'lru-cache'
import type { Tags } from './tag-versions.js'

/** A backstop: whatever a drop should have reached and did not is gone after this. */
const MAX_AGE_MS = 60_000

export interface TaggedCacheOptions {
  /** What drops its entries. */
  readonly tags: Tags
  /** 0 keeps nothing. */
  readonly maxEntries: number
}

/**
 * A bounded cache whose entries are dropped by what they were made of: their tags.
 *
 * A value that was read before a tag was dropped must not be kept after: ask `begin` before reading, and hand what it
 * gives to `put`.
 */
export class TaggedCache<Value extends object> {
  readonly #tags: Tags
  readonly #isDisabled: boolean
  readonly #entries: LRUCache<string, { value: Value; tags: readonly string[] }>
  readonly #keysByTag = new Map<string, Set<string>>()

  constructor({ tags, maxEntries }: TaggedCacheOptions) {
    this.#tags = tags
    this.#isDisabled = maxEntries === 0
    this.#entries = new LRUCache({
      max: Math.max(1, maxEntries),
      ttl: MAX_AGE_MS,
      ttlResolution: 1000,
      dispose: (entry, key) => this.#untag(key, entry.tags),
    })
    tags.add(this)
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** The moment to hand to `put`. */
  currentVersion(): number {
    return this.#tags.currentVersion()
  }

  /** @param tagsOf What it is made of; not asked for when nothing is kept. */
  put(key: string, value: Value, tagsOf: () => readonly string[], readVersion: number): void {
    if (this.#isDisabled) return
    const tags = tagsOf()
    if (!this.#tags.isFresh(tags, readVersion)) return
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

  /** For `Tags`. */
  evict(tags: readonly string[]): void {
    if (this.#keysByTag.size === 0) return
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag)
      if (keys) for (const key of [...keys]) this.#entries.delete(key)
    }
  }

  /** For `Tags`. */
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
