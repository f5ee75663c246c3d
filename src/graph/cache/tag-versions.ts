/** How many dropped tags are remembered: reads take milliseconds, and so many are dropped in no less than seconds. */
const MAX_REMEMBERED_TAGS = 100_000

/** What has entries with tags. */
export interface TaggedStore {
  /** Drops the entries that have one of these tags. */
  evict(tags: readonly string[]): void
  /** Drops all entries. */
  empty(): void
}

/**
 * What is no longer so. Everything that is kept ready has tags of what it was made of; dropping a tag drops every entry
 * that has it from all caches, and what was read before is not put into them any more.
 */
export class Tags {
  readonly #caches: TaggedStore[] = []
  /** When tags were last dropped, oldest first. */
  readonly #versionByTag = new Map<string, number>()
  #version = 0
  #oldestKnownVersion = 0

  /** From now on its entries are dropped by their tags. */
  add(cache: TaggedStore): void {
    this.#caches.push(cache)
  }

  /** The moment to hand to `isFresh`: what is read from now on is newer than every drop so far. */
  currentVersion(): number {
    return this.#version
  }

  /** Whether none of the tags was dropped since that moment; false also when it is not known any more. */
  isFresh(tags: readonly string[], sinceVersion: number): boolean {
    if (sinceVersion < this.#oldestKnownVersion) return false
    return tags.every((tag) => (this.#versionByTag.get(tag) ?? 0) <= sinceVersion)
  }

  drop(tags: readonly string[]): void {
    this.#version += 1
    for (const tag of tags) {
      this.#versionByTag.delete(tag)
      this.#versionByTag.set(tag, this.#version)
    }
    this.#forgetOldTags()
    for (const cache of this.#caches) cache.evict(tags)
  }

  /** Drops everything, when it is not known what has changed. */
  clear(): void {
    this.#version += 1
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
