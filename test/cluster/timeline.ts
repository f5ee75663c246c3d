/** When something succeeded and how it failed, in the order of time. */
export class Timeline {
  readonly #successes: number[] = []
  readonly #failures = new Map<string, number>()

  /** Counts what happened now; a status that is not 200 is a failure. */
  add(status: string): void {
    if (status === '200') this.#successes.push(performance.now())
    else this.#failures.set(status, (this.#failures.get(status) ?? 0) + 1)
  }

  /** Failures by status. */
  get failures(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#failures)
  }

  /** The longest time without a success after a moment, in seconds. */
  longestGapAfter(startMs: number): number {
    const before = this.#successes.findLast((atMs) => atMs <= startMs) ?? startMs
    const times = [before, ...this.#successes.filter((atMs) => atMs > startMs)]
    const gaps = times.slice(1).map((atMs, index) => atMs - times[index]!)
    return Math.max(0, ...gaps) / 1000
  }
}
