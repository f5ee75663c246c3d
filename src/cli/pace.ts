/** Before that, a rate says nothing. */
const MIN_MEASURED_MS = 3_000
/** Shortest time over which the pace is measured, if the run has lasted as long. */
const MIN_WINDOW_MS = 15_000
/** The window grows with the run to this share of it: work that gets slower counts as it is now. */
const WINDOW_SHARE = 0.5
const SAMPLE_MS = 500
const MAX_SAMPLES = 400

/**
 * Estimates how long the rest of a run takes, from the pace that was measured in it. A window of seconds would follow each
 * checkpoint of the database; the whole run would not see that work gets slower as tables grow. So the window is the last
 * half of the run, and 15 s at least. It begins with the first progress: what comes before is the start of threads and
 * connections, which no later work repeats.
 */
export class Pace {
  #startedMs = 0
  /** The first is as old as the window, or the first progress. */
  #samples: { readonly ms: number; readonly done: number }[] = []

  /** Notes the progress. */
  add(nowMs: number, done: number): void {
    const last = this.#samples.at(-1)
    if (last === undefined) this.#startedMs = nowMs
    else if (nowMs - last.ms < SAMPLE_MS) return
    this.#samples.push({ ms: nowMs, done })
    const windowMs = Math.max(MIN_WINDOW_MS, (nowMs - this.#startedMs) * WINDOW_SHARE)
    while (this.#samples.length > 2 && nowMs - this.#samples[1]!.ms >= windowMs) this.#samples.shift()
    // Of a long run every second sample is enough.
    if (this.#samples.length > MAX_SAMPLES)
      this.#samples = this.#samples.filter((_, index) => index % 2 === 0)
  }

  /** Seconds until `total` is done at the measured pace; null while it is not known. */
  secondsLeft(nowMs: number, done: number, total: number): number | null {
    const [first] = this.#samples
    if (first === undefined) return null
    const measuredMs = nowMs - first.ms
    const progress = done - first.done
    if (measuredMs < MIN_MEASURED_MS || progress <= 0) return null
    return (Math.max(0, total - done) / progress) * (measuredMs / 1000)
  }
}
