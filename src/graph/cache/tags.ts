/** How many dropped tags are remembered: reads take milliseconds, and so many are dropped in no less than seconds. */
const MAX_REMEMBERED = 100_000

/** What has entries with tags. */
export interface Droppable {
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
  readonly #caches: Droppable[] = []
  /** When tags were last dropped, oldest first. */
  readonly #dropped = new Map<string, number>()
  #moment = 0
  #forgottenBefore = 0

  /** From now on its entries are dropped by their tags. */
  add(cache: Droppable): void {
    this.#caches.push(cache)
  }

  /** The moment to hand to `isFresh`: what is read from now on is newer than every drop so far. */
  begin(): number {
    return this.#moment
  }

  /** Whether none of the tags was dropped since that moment; false also when it is not known any more. */
  isFresh(tags: readonly string[], since: number): boolean {
    if (since < this.#forgottenBefore) return false
    return tags.every((tag) => (this.#dropped.get(tag) ?? 0) <= since)
  }

  drop(tags: readonly string[]): void {
    this.#moment += 1
    for (const tag of tags) {
      this.#dropped.delete(tag)
      this.#dropped.set(tag, this.#moment)
    }
    this.#forgetOld()
    for (const cache of this.#caches) cache.evict(tags)
  }

  /** Drops everything, when it is not known what has changed. */
  clear(): void {
    this.#moment += 1
    this.#forgottenBefore = this.#moment
    this.#dropped.clear()
    for (const cache of this.#caches) cache.empty()
  }

  #forgetOld(): void {
    for (const [tag, moment] of this.#dropped) {
      if (this.#dropped.size <= MAX_REMEMBERED) return
      this.#dropped.delete(tag)
      this.#forgottenBefore = moment
    }
  }
}
