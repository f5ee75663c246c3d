import { type Config, readConfig } from '../app/config/config.js'
import type { ProgressOutput } from './progress.js'

/** The environment of a command. `cli.ts` creates it; no other file reads `process`. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes a line for the user. */
  readonly print: (line: string) => void
  /** Output of progress: standard error. */
  readonly progress: ProgressOutput
  /** Standard input and output. */
  readonly stdin: AsyncIterable<Uint8Array>
  readonly stdout: NodeJS.WritableStream
  /**
   * Registers a callback for stop signals; `isForced` from the second signal on, and when the process has not ended in
   * time. Then it exits.
   */
  readonly onStopSignal: (stop: (isForced: boolean) => void, limitMs?: number) => void
  /**
   * Registers what closes the database of the command, and returns what removes it. Called with an error to end the command with
   * at a stop signal for which `onStopSignal` has no callback, and with null when the process exits in a moment.
   */
  readonly onDatabaseStop: (stop: (error: Error | null) => void) => () => void
}

/** A mistake of the user. It is shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads the configuration, or throws a `UsageError` that names every invalid variable. */
export function loadConfig(context: CommandContext): Config {
  const result = readConfig(context.env)
  if ('problems' in result) throw new UsageError(`invalid environment variables:\n${result.problems}`)
  return result.config
}
