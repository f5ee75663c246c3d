/** Started parts, which it stops in the reverse order. */
export class Lifecycle {
  readonly #stops: (() => Promise<unknown>)[] = []

  /** Remembers how to stop what was just started. */
  onStop(stop: () => Promise<unknown>): void {
    this.#stops.push(stop)
  }

  /** Stops everything, also when a part cannot be stopped in order; then fails with the first error. */
  async stop(): Promise<void> {
    const errors: unknown[] = []
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      await stop().catch((error: unknown) => errors.push(error))
    }
    if (errors.length > 0) throw errors[0]
  }
}
