import type { MergeTally } from '../hub/reorder-buffer.js'
import type { CommandContext } from './context.js'
import { Progress, type ProgressOptions } from './progress.js'

/** Aborts when the user stops the command, which then ends cleanly and can be continued. `reason` is what aborts. */
export function stopSignal(context: CommandContext, reason?: Error): AbortSignal {
  const stop = new AbortController()
  context.onStopSignal(() => stop.abort(reason))
  return stop.signal
}

/** Shows the progress of a command on stderr. */
export function progressOf(
  context: CommandContext,
  options: Omit<ProgressOptions, 'output' | 'clock'>,
): Progress {
  return new Progress({ ...options, output: context.progress, clock: Date.now })
}

/** Prints why a request to the upstream is retried, between lines of progress. */
export function reportRetries({ progress }: CommandContext): (failure: Error) => void {
  const line = progress.isTTY ? '\r\u001b[2K' : ''
  return ({ message }) => {
    progress.write(`${line}retrying for some minutes: ${message}\n`)
  }
}

/** Prints how many items were merged, known or refused. */
export function printTally(context: CommandContext, { merged, duplicates, refused }: MergeTally): void {
  context.print(`merged: ${merged}`)
  if (duplicates > 0) context.print(`already known: ${duplicates}`)
  for (const [reason, count] of refused) context.print(`refused: ${count} (${reason})`)
}
