import { Pace } from './pace.js'

/** Output of progress: standard error, or a recorder in tests. */
export interface ProgressOutput {
  write(text: string): void
  /** True if lines can be overwritten. */
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export interface ProgressOptions {
  /** The activity, such as `import`. */
  readonly label: string
  /** The unit of the counted items, such as `messages`. */
  readonly unit: string
  /** Approximate final value of `done`, in any unit; 0 if unknown. */
  readonly total: number
  /** The unit of `done` and `total`, if it should be shown: `users`. */
  readonly totalUnit?: string
  /** Value of `done` at the start, after an earlier run. */
  readonly start?: number
  readonly output: ProgressOutput
  /** Unix milliseconds. */
  readonly clock: () => number
}

const BAR_CHARACTERS = 24
const TTY_INTERVAL_MS = 150
const PLAIN_INTERVAL_MS = 5_000
/** Period of the displayed rate. It is short, so that a stall becomes visible. */
const RATE_WINDOW_MS = 10_000

interface Sample {
  readonly ms: number
  readonly counted: number
}

/**
 * Shows progress, rate and remaining time of a long command: a bar on a terminal, a plain line every few
 * seconds elsewhere. Libraries draw bars only on terminals, and count the items of an earlier run in the
 * rate.
 */
export class Progress {
  readonly #options: ProgressOptions
  readonly #startedMs: number
  /** Recent samples; the first is as old as the window, or the start. */
  #samples: Sample[]
  readonly #pace = new Pace()
  #renderedMs: number
  #done: number
  #counted = 0

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#startedMs = options.clock()
    this.#renderedMs = this.#startedMs
    this.#done = options.start ?? 0
    this.#samples = [{ ms: this.#startedMs, counted: 0 }]
  }

  /** Sets the progress, and the number of items of this run. */
  update(done: number, counted: number): void {
    this.#done = done
    this.#counted = counted
    const nowMs = this.#options.clock()
    this.#pace.add(nowMs, done)
    const intervalMs = this.#options.output.isTTY ? TTY_INTERVAL_MS : PLAIN_INTERVAL_MS
    if (nowMs - this.#renderedMs < intervalMs) return
    this.#renderedMs = nowMs
    this.#samples.push({ ms: nowMs, counted })
    while (this.#samples.length > 2 && nowMs - this.#samples[1]!.ms >= RATE_WINDOW_MS) this.#samples.shift()
    this.#render(this.#line(nowMs), '')
  }

  /** Prints the final line with count, duration and rate. */
  finish(): void {
    const { label, unit, clock } = this.#options
    const seconds = Math.max(0.001, (clock() - this.#startedMs) / 1000)
    const rate = formatCount(this.#counted / seconds)
    const took = formatSeconds(seconds)
    this.#render(`${label}: ${formatCount(this.#counted)} ${unit} in ${took} (${rate}/s)`, '\n')
  }

  #line(nowMs: number): string {
    const { label, unit, total, totalUnit } = this.#options
    const first = this.#samples[0]!
    const seconds = Math.max(1, nowMs - first.ms) / 1000
    const rate = (this.#counted - first.counted) / seconds
    const of = total > 0 ? ` of ${formatCount(total)}` : ''
    const done = totalUnit === undefined ? '' : `${formatCount(this.#done)}${of} ${totalUnit}, `
    const counted = `${done}${formatCount(this.#counted)} ${unit}, ${formatCount(rate)}/s`
    if (total <= 0) return `${label}: ${counted}`
    const share = Math.min(1, this.#done / total)
    const secondsLeft = this.#pace.secondsLeft(nowMs, this.#done, total)
    const left = secondsLeft === null ? '' : `, ${formatSeconds(secondsLeft)} left`
    const percent = `${Math.floor(share * 100)}%`.padStart(4)
    return `${label}: ${this.#bar(share)}${percent}, ${counted}${left}`
  }

  #bar(share: number): string {
    if (!this.#options.output.isTTY) return ''
    const filled = Math.round(share * BAR_CHARACTERS)
    return `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARACTERS - filled)}]`
  }

  #render(line: string, end: string): void {
    const { output } = this.#options
    if (!output.isTTY) output.write(`${line}\n`)
    else output.write(`\r\u001b[2K${line.slice(0, (output.columns ?? 80) - 1)}${end}`)
  }
}

function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

function formatSeconds(exact: number): string {
  const seconds = Math.max(1, Math.round(exact))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}
