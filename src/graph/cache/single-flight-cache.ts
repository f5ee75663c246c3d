import { AuthorActivity, type Authors } from './author-activity.js'
import type { Tags } from './tag-versions.js'
import { TaggedCache } from './tagged-cache.js'

/** What was read, and what it was made of: see `cache-tags.ts`. */
export interface Tagged<Value> {
  readonly value: Value
  readonly tags: readonly string[]
  /** Whose casts and recasts it was made of, where those are more than tags are for. */
  readonly authors?: Authors
}

interface CachedRead {
  readonly value: unknown
  readonly readAtMs: number
  readonly authors: Authors | undefined
  /** The authors have done nothing up to here. */
  unaffectedUntil: number
}

const MAX_CACHED_READS = 1_000

/**
 * What many ask for at once is read once: requests that come together share a read, and those that come soon after
 * get what it gave. Dropping a tag drops what was made of it, also what is being read at that moment: whoever asks
 * after the drop gets what is read after it. The same holds when one of the authors does something.
 */
export class SingleFlightCache {
  readonly #clock: () => number
  readonly #cache: TaggedCache<CachedRead>
  readonly activity = new AuthorActivity()
  /** Reads under way, and how many drops there had been when they began. */
  readonly #inFlight = new Map<string, { since: number; reading: Promise<unknown> }>()

  /**
   * @param clock Unix milliseconds.
   * @param tags What drops what is kept.
   * @param isCaching Whether anything is kept; if not, only those that ask while it is being read share it.
   */
  constructor(clock: () => number, tags: Tags, isCaching = true) {
    this.#clock = clock
    this.#cache = new TaggedCache({ tags, maxEntries: isCaching ? MAX_CACHED_READS : 0 })
  }

  /**
   * @param key Says everything that the value depends on; keys of different values differ.
   * @param maxAgeMs Up to this age it is as good as new; after a minute nothing is kept.
   */
  async read<Value>(key: string, maxAgeMs: number, load: () => Promise<Tagged<Value>>): Promise<Value> {
    const cached = this.#cache.get(key)
    if (cached && this.#clock() - cached.readAtMs <= maxAgeMs && this.#isUnaffected(cached))
      return cached.value as Value
    return await this.#joinOrStart(key, load)
  }

  /** Whether it can be had without reading. */
  has(key: string): boolean {
    return this.#cache.get(key) !== undefined
  }

  #isUnaffected(cached: CachedRead): boolean {
    if (!cached.authors) return true
    if (this.activity.hasAny(cached.authors, cached.unaffectedUntil)) return false
    cached.unaffectedUntil = this.activity.endOffset
    return true
  }

  #joinOrStart<Value>(key: string, load: () => Promise<Tagged<Value>>): Promise<Value> {
    const since = this.#cache.currentVersion()
    const inFlight = this.#inFlight.get(key)
    if (inFlight?.since === since) return inFlight.reading as Promise<Value>
    const reading = this.#load(key, since, load).finally(() => {
      if (this.#inFlight.get(key)?.reading === reading) this.#inFlight.delete(key)
    })
    this.#inFlight.set(key, { since, reading })
    return reading
  }

  async #load<Value>(key: string, since: number, load: () => Promise<Tagged<Value>>): Promise<Value> {
    const unaffectedUntil = this.activity.endOffset
    const { value, tags, authors } = await load()
    this.#cache.put(key, { value, readAtMs: this.#clock(), authors, unaffectedUntil }, () => tags, since)
    return value
  }
}
