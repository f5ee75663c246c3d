import type { MergeTally } from '../hub/reorder-buffer.js'
import type { CommandContext } from './context.js'
import { Progress, type ProgressOptions } from './progress.js'

/** Aborts when the user asks the command to stop; it then ends in order and can be gone on with. */
export function stopSignal(context: CommandContext): AbortSignal {
  const stop = new AbortController()
  context.onStopSignal(() => stop.abort())
  return stop.signal
}

/** The progress of a command, on stderr. */
export function progressOf(
  context: CommandContext,
  options: Omit<ProgressOptions, 'output' | 'clock'>,
): Progress {
  return new Progress({ ...options, output: context.progress, clock: Date.now })
}

/** Tells, between the lines of progress, why an answer of the upstream is waited for. */
export function reportRetries({ progress }: CommandContext): (failure: Error) => void {
  const line = progress.isTTY ? '\r\u001b[2K' : ''
  return ({ message }) => {
    progress.write(`${line}trying again for some minutes: ${message}\n`)
  }
}

/** What became of everything that was taken in, line by line. */
export function printTally(context: CommandContext, { merged, duplicates, refused }: MergeTally): void {
  context.print(`merged: ${merged}`)
  if (duplicates > 0) context.print(`known already: ${duplicates}`)
  for (const [reason, count] of refused) context.print(`refused: ${count} (${reason})`)
}
