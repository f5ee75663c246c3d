import type { Logger } from 'pino'
import type { Config } from '../app/config/config.js'
import { createLogger, fileOutput } from '../platform/log/logger.js'
import { prettyLines } from '../platform/log/pretty-lines.js'
import type { CommandContext } from './context.js'

const DESCRIPTORS = { stdout: 1, stderr: 2 }

/** Opens the log of a command: for a person where the output is a terminal, as JSON elsewhere (`LOG_FORMAT`). */
export function openLog(
  { stdout, progress }: Pick<CommandContext, 'stdout' | 'progress'>,
  { logFormat, logLevel, noColor }: Pick<Config, 'logFormat' | 'logLevel' | 'noColor'>,
  { output, level = logLevel }: { readonly output: keyof typeof DESCRIPTORS; readonly level?: string },
): Logger {
  const { isTTY = false } = (output === 'stdout' ? stdout : progress) as { readonly isTTY?: boolean }
  const destination = fileOutput(DESCRIPTORS[output])
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && isTTY)
  return createLogger(
    level,
    isPretty ? prettyLines(destination, isTTY && noColor === undefined) : destination,
  )
}
