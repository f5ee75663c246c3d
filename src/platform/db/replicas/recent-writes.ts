/** Under what a write is remembered and found again: the API key, a user, or the address of a client without a key. */
export type WriterKey = `key ${number}` | `fid ${number}` | `address ${string}`

/** When each writer wrote last, for as long as a replica may lack it. */
export class RecentWrites {
  /** In ascending order of time: milliseconds of `performance.now()`. */
  readonly #lastMs = new Map<WriterKey, number>()

  /** @param keepMs How long a write is remembered: longer than a replica that is used may lag. */
  constructor(private readonly keepMs: number) {}

  /** Remembers a write whose commit was just acknowledged. */
  add(keys: Iterable<WriterKey>): void {
    const nowMs = performance.now()
    for (const key of keys) {
      this.#lastMs.delete(key)
      this.#lastMs.set(key, nowMs)
    }
    for (const [key, ms] of this.#lastMs) {
      if (ms >= nowMs - this.keepMs) break
      this.#lastMs.delete(key)
    }
  }

  /** The time of the last write of these writers; null without one that a replica may lack. */
  lastOf(keys: readonly WriterKey[]): number | null {
    if (this.#lastMs.size === 0) return null
    const knownMs = keys.flatMap((key) => this.#lastMs.get(key) ?? [])
    const lastMs = Math.max(...knownMs)
    return knownMs.length > 0 && lastMs >= performance.now() - this.keepMs ? lastMs : null
  }
}
