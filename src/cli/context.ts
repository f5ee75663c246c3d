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
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean | undefined }
  readonly stdout: NodeJS.WritableStream
  /**
   * Registers a callback for stop signals; `isForced` from the second signal on, and when the process has not ended in
   * time. Then it exits.
   */
  readonly onStopSignal: (stop: (isForced: boolean) => void, limitMs?: number) => void
  /**
   * Registers what closes the database of the command, and returns what removes it. Called at a stop signal with an error to end the
   * command with, and whether `onStopSignal` has a callback for it; and with null when the process exits in a moment.
   */
  readonly onDatabaseStop: (stop: (error: Error | null, isHandled: boolean) => void) => () => void
}

/** A mistake of the user. It is shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Returns standard input for a secret. A terminal is refused: it would show what is typed, and the command waits without a word. */
export function pipedInput({ stdin }: CommandContext): AsyncIterable<Uint8Array> {
  if (stdin.isTTY) throw new UsageError('pipe the key in, such as from a file: … < key.txt')
  return stdin
}

/** Reads the configuration, or throws a `UsageError` that names every invalid variable. */
export function loadConfig(context: CommandContext, read = readConfig): Config {
  const result = read(context.env)
  if ('problems' in result) throw new UsageError(`invalid environment variables:\n${result.problems}`)
  return result.config
}
