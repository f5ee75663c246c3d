import { LRUCache } from 'lru-cache'
import { isRecent } from './durations.js'

interface Entry<Value> {
  readonly value: Promise<Value>
  readonly loadedMs: number
}

/** Caches results for a time, so that concurrent callers share one lookup. Failures are not cached. */
export class PromiseCache<Value> {
  readonly #entries: LRUCache<string, Entry<Value>>
  readonly #ttlMs: number
  readonly #clock: () => number

  /** @param options.clock Unix milliseconds. */
  constructor({ max, ttlMs, clock }: { max: number; ttlMs: number; clock: () => number }) {
    // Not `max`, which takes the memory of all entries at once.
    this.#entries = new LRUCache({ maxSize: max, sizeCalculation: () => 1 })
    this.#ttlMs = ttlMs
    this.#clock = clock
  }

  /** Returns the cached result, or loads it. */
  read(key: string, load: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(key)
    const isFresh = entry !== undefined && isRecent(entry.loadedMs, this.#clock(), this.#ttlMs)
    return isFresh ? entry.value : this.refresh(key, load)
  }

  /** Loads the result anew, also for later readers. */
  refresh(key: string, load: () => Promise<Value>): Promise<Value> {
    const entry = { value: load(), loadedMs: this.#clock() }
    this.#entries.set(key, entry)
    entry.value.catch(() => {
      if (this.#entries.peek(key) === entry) this.#entries.delete(key)
    })
    return entry.value
  }
}
