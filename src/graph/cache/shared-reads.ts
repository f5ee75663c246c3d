import { AuthorActivity, type Authors } from './author-activity.js'
import { TaggedCache } from './tagged-cache.js'
import type { Tags } from './tags.js'

/** What was read, and what it was made of: see `cache-tags.ts`. */
export interface Tagged<Value> {
  readonly value: Value
  readonly tags: readonly string[]
  /** Whose casts and recasts it was made of, where those are more than tags are for. */
  readonly authors?: Authors
}

interface Kept {
  readonly value: unknown
  readonly readAtMs: number
  readonly authors: Authors | undefined
  /** The authors have done nothing up to here. */
  untouchedUntil: number
}

const MAX_ENTRIES = 1_000

/**
 * What many ask for at once is read once: requests that come together share a read, and those that come soon after
 * get what it gave. Dropping a tag drops what was made of it, also what is being read at that moment: whoever asks
 * after the drop gets what is read after it. The same holds when one of the authors does something.
 */
export class SharedReads {
  readonly #clock: () => number
  readonly #cache: TaggedCache<Kept>
  readonly activity = new AuthorActivity()
  /** Reads under way, and how many drops there had been when they began. */
  readonly #underWay = new Map<string, { since: number; reading: Promise<unknown> }>()

  /**
   * @param clock Unix milliseconds.
   * @param tags What drops what is kept.
   * @param keeps Whether anything is kept; if not, only those that ask while it is being read share it.
   */
  constructor(clock: () => number, tags: Tags, keeps = true) {
    this.#clock = clock
    this.#cache = new TaggedCache({ tags, maxEntries: keeps ? MAX_ENTRIES : 0 })
  }

  /**
   * @param key Says everything that the value depends on; keys of different values differ.
   * @param maxAgeMs Up to this age it is as good as new; after a minute nothing is kept.
   */
  async read<Value>(key: string, maxAgeMs: number, load: () => Promise<Tagged<Value>>): Promise<Value> {
    const kept = this.#cache.get(key)
    if (kept && this.#clock() - kept.readAtMs <= maxAgeMs && this.#isUntouched(kept))
      return kept.value as Value
    return await this.#join(key, load)
  }

  /** Whether it can be had without reading. */
  has(key: string): boolean {
    return this.#cache.get(key) !== undefined
  }

  #isUntouched(kept: Kept): boolean {
    if (!kept.authors) return true
    if (this.activity.hasAny(kept.authors, kept.untouchedUntil)) return false
    kept.untouchedUntil = this.activity.end
    return true
  }

  #join<Value>(key: string, load: () => Promise<Tagged<Value>>): Promise<Value> {
    const since = this.#cache.begin()
    const underWay = this.#underWay.get(key)
    if (underWay?.since === since) return underWay.reading as Promise<Value>
    const reading = this.#load(key, since, load).finally(() => {
      if (this.#underWay.get(key)?.reading === reading) this.#underWay.delete(key)
    })
    this.#underWay.set(key, { since, reading })
    return reading
  }

  async #load<Value>(key: string, since: number, load: () => Promise<Tagged<Value>>): Promise<Value> {
    const untouchedUntil = this.activity.end
    const { value, tags, authors } = await load()
    this.#cache.put(key, { value, readAtMs: this.#clock(), authors, untouchedUntil }, () => tags, since)
    return value
  }
}
