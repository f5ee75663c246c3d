import { constants } from 'node:os'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** `npm start` repeats the signal that the terminal sent. Within this time it counts as the same signal. */
const SAME_SIGNAL_MS = 1_000
const FORCED_EXIT_MS = 100
/** A shell shows the end by a signal as this exit code, plus the number of the signal. */
const SIGNAL_EXIT_CODE = 128

/** A stop signal ended a command that does not handle it itself. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'

  constructor(readonly exitCode: number) {
    super('stopped')
  }
}

/** Called at a stop signal; `isForced` from the second one on. */
type Stop = (isForced: boolean) => void
/** Called with the error to end with, and whether the command has a `Stop`; and with null when it is forced to end. */
type StopDatabase = (error: StoppedError | null, isHandled: boolean) => void

/** Tells the parts of a command to stop, first cleanly and then at once. */
export class StopSignals {
  readonly #process: NodeJS.Process
  readonly #command: Stop[] = []
  readonly #databases = new Set<StopDatabase>()
  #limitMs: number | undefined
  #firstMs: number | null = null
  #isListening = false

  constructor(process: NodeJS.Process) {
    this.#process = process
  }

  /** Registers what stops the command itself. It exits when it has not ended within `limitMs`. */
  onStop(stop: Stop, limitMs?: number): void {
    this.#command.push(stop)
    this.#limitMs = limitMs
    this.#listen()
  }

  /** Registers what stops the database of a command. Returns a function that removes it. */
  onDatabaseStop(stop: StopDatabase): () => void {
    this.#databases.add(stop)
    this.#listen()
    return () => this.#databases.delete(stop)
  }

  /** Stops the command as a first signal does, if it handles that: nobody reads its output any more. */
  stopCommand(): void {
    if (this.#firstMs === null && this.#command.length > 0) this.#stopFirst('SIGTERM')
  }

  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    for (const signal of SIGNALS) this.#process.on(signal, () => this.#handle(signal))
  }

  #handle(signal: (typeof SIGNALS)[number]): void {
    if (this.#firstMs === null) this.#stopFirst(signal)
    else if (performance.now() - this.#firstMs > SAME_SIGNAL_MS) this.#force()
  }

  #stopFirst(signal: (typeof SIGNALS)[number]): void {
    this.#firstMs = performance.now()
    const isHandled = this.#command.length > 0
    const exitCode = SIGNAL_EXIT_CODE + constants.signals[signal]
    if (!isHandled && this.#databases.size === 0) this.#process.exit(exitCode)
    for (const stop of this.#command) stop(false)
    for (const stop of this.#databases) stop(new StoppedError(exitCode), isHandled)
    // A process with nothing left to do ends before.
    if (this.#limitMs !== undefined) setTimeout(() => this.#force(), this.#limitMs).unref()
  }

  #force(): void {
    for (const stop of this.#command) stop(true)
    for (const stop of this.#databases) stop(null, false)
    setTimeout(() => this.#process.exit(1), FORCED_EXIT_MS)
  }
}
