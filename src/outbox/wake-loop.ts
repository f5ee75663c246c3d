import type { Log } from '../platform/log/log.js'
import { pause } from '../platform/process/pause.js'

/** Step and dependencies of a loop. */
export interface WakeLoopOptions {
  /** Does one part of the work and returns whether there may be more. */
  readonly step: () => Promise<boolean>
  /** A loop that is aborted runs no second step after one that fails. */
  readonly signal: AbortSignal
  readonly log: Log
  /** Logged when a step fails, once until a step succeeds. */
  readonly failureMessage: string
}

/** Between a step that failed and the next one. */
export const RETRY_MS = 500

/** Runs steps one after the other for as long as there is work. A wake during a step leads to another step. */
export class WakeLoop {
  #isWoken = false
  #running: Promise<void> | null = null

  constructor(private readonly options: WakeLoopOptions) {}

  /** Runs a step now, or after the one that is running. */
  wake(): void {
    this.#isWoken = true
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      // A wake may come between the last check of the loop and this line.
      if (this.#isWoken && !this.options.signal.aborted) this.wake()
    })
  }

  /** Resolves when no step is running. Meant for a loop that is aborted. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    const { step, signal, log, failureMessage } = this.options
    for (let failures = 0; this.#isWoken; ) {
      this.#isWoken = false
      try {
        if (await step()) this.#isWoken = true
        failures = 0
      } catch (error) {
        if (failures === 0) log.error({ err: error }, failureMessage)
        failures += 1
        this.#isWoken = true
        if (signal.aborted) return
        await pause(RETRY_MS, signal)
      }
    }
  }
}
