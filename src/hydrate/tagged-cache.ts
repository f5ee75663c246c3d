import { LRUCache } from 'lru-cache'

const maxRememberedDrops = 100_000

/** A backstop: whatever a drop should have reached and did not is gone after this. */
const maxAgeMs = 60_000

export interface TaggedCacheOptions {
  /** 0 keeps nothing. */
  readonly maxEntries: number
}

/**
 * A bounded cache whose entries are dropped by what they were made of: each has tags, and dropping a tag drops
 * every entry that has it.
 *
 * A value that was read before a tag was dropped must not be kept after: `begin` before reading, and hand what it
 * gives to `put`.
 */
export class TaggedCache<Value extends object> {
  readonly #keepsNothing: boolean
  readonly #entries: LRUCache<string, { value: Value; tags: readonly string[] }>
  readonly #keysByTag = new Map<string, Set<string>>()
  /** When tags were last dropped, oldest first. */
  readonly #dropped = new Map<string, number>()
  #moment = 0
  #forgottenBefore = 0

  constructor({ maxEntries }: TaggedCacheOptions) {
    this.#keepsNothing = maxEntries === 0
    this.#entries = new LRUCache({
      max: Math.max(1, maxEntries),
      ttl: maxAgeMs,
      ttlResolution: 1000,
      dispose: ({ tags }, key) => this.#untag(key, tags),
    })
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** The moment to hand to `put`: what is read from now on is newer than every drop so far. */
  begin(): number {
    return this.#moment
  }

  /** @param tagsOf What it is made of; not asked for when nothing is kept. */
  put(key: string, value: Value, tagsOf: () => readonly string[], readSince: number): void {
    if (this.#keepsNothing || readSince < this.#forgottenBefore) return
    const tags = tagsOf()
    if (tags.some((tag) => (this.#dropped.get(tag) ?? 0) > readSince)) return
    this.#entries.set(key, { value, tags })
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag) ?? new Set()
      keys.add(key)
      this.#keysByTag.set(tag, keys)
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  drop(tags: Iterable<string>): void {
    this.#moment += 1
    for (const tag of tags) {
      this.#dropped.delete(tag)
      this.#dropped.set(tag, this.#moment)
      for (const key of [...(this.#keysByTag.get(tag) ?? [])]) this.#entries.delete(key)
    }
    this.#forgetOldDrops()
  }

  clear(): void {
    this.#moment += 1
    this.#forgottenBefore = this.#moment
    this.#entries.clear()
    this.#keysByTag.clear()
    this.#dropped.clear()
  }

  /** Reads take milliseconds; a drop that so many others have followed need not be remembered. */
  #forgetOldDrops(): void {
    for (const [tag, moment] of this.#dropped) {
      if (this.#dropped.size <= maxRememberedDrops) return
      this.#dropped.delete(tag)
      this.#forgottenBefore = moment
    }
  }

  #untag(key: string, tags: readonly string[]): void {
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysByTag.delete(tag)
    }
  }
}
