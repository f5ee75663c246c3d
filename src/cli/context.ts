import { type Config, readConfig } from '../app/config/config.js'
import type { ProgressOutput } from './progress.js'

/** What a command gets from the outside world. `cli.ts` makes it; nothing else reads `process`. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes a line for the user. */
  readonly print: (line: string) => void
  /** Where progress is shown: standard error. */
  readonly progress: ProgressOutput
  /** What is piped in, and out. */
  readonly stdin: AsyncIterable<Uint8Array>
  readonly stdout: NodeJS.WritableStream
  /** Called once for each signal that asks the process to go; `true` from the second one on. */
  readonly onStopSignal: (stop: (isForced: boolean) => void) => void
}

/** The user's mistake: shown as it is, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The configuration, or a `UsageError` that names every variable that is wrong. */
export function loadConfig(context: CommandContext): Config {
  const result = readConfig(context.env)
  if ('problems' in result) throw new UsageError(`the environment cannot be used:\n${result.problems}`)
  return result.config
}
