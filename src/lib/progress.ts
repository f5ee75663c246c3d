/** Where progress is shown: standard error, or a recorder in tests. */
export interface ProgressOutput {
  write(text: string): void
  /** True where a line can be written over. */
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export interface ProgressOptions {
  /** What is being done, such as `import`. */
  readonly label: string
  /** What is counted, such as `messages`. */
  readonly unit: string
  /** How many there will be, about; 0 when nobody knows. */
  readonly total: number
  readonly output: ProgressOutput
  /** Unix milliseconds. */
  readonly clock: () => number
}

const BAR_CHARACTERS = 24
const TTY_INTERVAL_MS = 150
const PLAIN_INTERVAL_MS = 5_000
/** The rate shown is that of the last so many milliseconds, so that a stall is seen. */
const RATE_WINDOW_MS = 10_000

/**
 * Shows how far a long command is, how fast, and how long it will still take: a bar that is redrawn on a
 * terminal, a plain line every few seconds elsewhere.
 */
export class Progress {
  readonly #options: ProgressOptions
  readonly #startedMs: number
  #samples: { readonly ms: number; readonly done: number }[] = []
  #shownMs: number
  #done = 0
  #counted = 0

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#startedMs = options.clock()
    this.#shownMs = this.#startedMs
  }

  /**
   * `done` of `total` are done. Of these, `counted` were done by this run, which is what the rate is made of;
   * all of them unless told.
   */
  update(done: number, counted = done): void {
    this.#done = done
    this.#counted = counted
    const nowMs = this.#options.clock()
    const intervalMs = this.#options.output.isTTY ? TTY_INTERVAL_MS : PLAIN_INTERVAL_MS
    if (nowMs - this.#shownMs < intervalMs) return
    this.#shownMs = nowMs
    this.#samples.push({ ms: nowMs, done: counted })
    this.#samples = this.#samples.filter(({ ms }) => nowMs - ms <= RATE_WINDOW_MS)
    this.#show(this.#line(nowMs), '')
  }

  /** The last line: what was done and how long it took. */
  finish(): void {
    const { label, unit, clock } = this.#options
    const seconds = Math.max(0.001, (clock() - this.#startedMs) / 1000)
    const rate = formatCount(this.#counted / seconds)
    const took = formatSeconds(seconds)
    this.#show(`${label}: ${formatCount(this.#counted)} ${unit} in ${took} (${rate}/s)`, '\n')
  }

  #line(nowMs: number): string {
    const { label, unit, total } = this.#options
    const rate = this.#rate(nowMs)
    const counted = `${formatCount(this.#done)} ${unit}, ${formatCount(rate)}/s`
    if (total <= 0) return `${label}: ${counted}`
    const share = Math.min(1, this.#done / total)
    const left = rate > 0 ? `, ${formatSeconds(Math.max(0, total - this.#done) / rate)} left` : ''
    const percent = `${Math.floor(share * 100)}%`.padStart(4)
    return `${label}: ${this.#bar(share)}${percent}, ${counted}${left}`
  }

  #bar(share: number): string {
    if (!this.#options.output.isTTY) return ''
    const filled = Math.round(share * BAR_CHARACTERS)
    return `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARACTERS - filled)}]`
  }

  #rate(nowMs: number): number {
    const first = this.#samples[0]
    const isYoung = first === undefined || first.ms === nowMs
    const from = isYoung ? { ms: this.#startedMs, done: 0 } : first
    return ((this.#counted - from.done) * 1000) / Math.max(1, nowMs - from.ms)
  }

  #show(line: string, end: string): void {
    const { output } = this.#options
    if (!output.isTTY) output.write(`${line}\n`)
    else output.write(`\r\u001b[2K${line.slice(0, (output.columns ?? 80) - 1)}${end}`)
  }
}

function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${Math.round(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}
