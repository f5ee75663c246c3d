import { type DestinationStream, type Logger, pino } from 'pino'
import { redactedUrls } from '../text/redacted-urls.js'
import { recordedSpan } from '../tracing/active-span.js'

/** Fields that hold secrets. */
export const SECRETS: readonly string[] = [
  'authorization',
  'cookie',
  'x-api-key',
  'api_key',
  'apiKey',
  'password',
  'secret',
  'privateKey',
  'databaseUrl',
]
/** Paths of these fields, up to two objects deep. */
const REDACTED = SECRETS.flatMap((name) => ['', '*', '*.*'].map((parent) => `${parent}["${name}"]`))

/** The trace of the running work, so that its lines are found from it. */
function traceFields(): object {
  const span = recordedSpan()
  return span === null ? {} : { trace_id: span.traceId }
}

const STDOUT = 1
/** Characters that wait while a disk is full. */
const MAX_WAITING_LENGTH = 1_048_576
const MAX_CAUSES = 5

/** Creates a logger that writes JSON lines to stdout or another destination. */
export function createLogger(level: string, destination: DestinationStream = fileOutput(STDOUT)): Logger {
  const options = {
    level,
    redact: { paths: REDACTED, censor: '[secret]' },
    serializers: { err: (error: unknown) => describe(error) },
    base: null,
    mixin: traceFields,
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(options, destination)
}

/** A write fails so on a disk that is full, or over its quota: the next one may succeed. */
const FULL_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/**
 * Writes lines to a file descriptor. If the reader of a pipe or terminal is gone, all writes fail: the server
 * then runs without a log and still stops cleanly. Without this handler, the stream would retry for ever when
 * the process ends. While a disk is full, lines wait for the next write that succeeds, and too many are dropped.
 */
export function fileOutput(descriptor: number): DestinationStream {
  const destination = pino.destination(descriptor)
  const nothing = () => {}
  const whileWritable = { flushSync: destination.flushSync, maxLength: 0 }
  const whileFull = { flushSync: nothing, maxLength: MAX_WAITING_LENGTH }
  destination.on('write', () => Object.assign(destination, whileWritable))
  // A line that is too much is not written, so nothing would try again. Without the bound, or this would be too much as well.
  destination.on('drop', () => {
    Object.assign(destination, { maxLength: 0 })
    destination.write('')
    Object.assign(destination, { maxLength: MAX_WAITING_LENGTH })
  })
  destination.on('error', (error: NodeJS.ErrnoException) => {
    if (FULL_DISK.has(error.code ?? '')) {
      Object.assign(destination, whileFull)
      return
    }
    Object.assign(destination, {
      write: nothing,
      flush: nothing,
      flushSync: nothing,
      end: nothing,
      destroy: nothing,
    })
  })
  return destination
}

/**
 * Selects the fields of an error that are safe to log. Errors of the database driver contain the parameters
 * of the statement, and PostgreSQL's `detail` quotes rows: both may be secrets. Errors of RPC clients quote the URL, which
 * often contains a key.
 */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const { name } = error
  const message = redactedUrls(error.message)
  const stack = error.stack === undefined ? undefined : redactedUrls(error.stack)
  const code = 'code' in error ? error.code : undefined
  const constraint = 'constraint_name' in error ? error.constraint_name : undefined
  const cause = depth < MAX_CAUSES && error.cause !== undefined ? describe(error.cause, depth + 1) : undefined
  return { name, message, code, constraint, stack, cause }
}
