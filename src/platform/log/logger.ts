import { type DestinationStream, type Logger, pino } from 'pino'

/** Fields that hold secrets. */
const SECRETS = [
  'authorization',
  'cookie',
  'x-api-key',
  'apiKey',
  'password',
  'secret',
  'privateKey',
  'databaseUrl',
]
/** Wherever they stand in a line, up to two objects deep. */
const REDACTED = SECRETS.flatMap((name) => ['', '*', '*.*'].map((parent) => `${parent}["${name}"]`))

const STDOUT = 1
const MAX_CAUSES = 5

/** JSON lines on stdout, or elsewhere. */
export function createLogger(level: string, destination: DestinationStream = fileOutput(STDOUT)): Logger {
  const options = {
    level,
    redact: { paths: REDACTED, censor: '[secret]' },
    serializers: { err: (error: unknown) => describe(error) },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(options, destination)
}

/**
 * Lines to a file descriptor. When the reader of a pipe or the terminal has gone away, writing fails for
 * good: the server then goes on without a log, and ends in order when it is told to. Left alone, the stream
 * would try to write the rest when the process ends, for ever.
 */
export function fileOutput(descriptor: number): DestinationStream {
  const destination = pino.destination(descriptor)
  const nothing = () => {}
  destination.on('error', () => {
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
 * The fields of an error that are safe to keep. Errors of the database driver carry the statement's
 * parameters, and PostgreSQL's `detail` quotes rows: both may be secrets.
 */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  const constraint = 'constraint_name' in error ? error.constraint_name : undefined
  const cause = depth < MAX_CAUSES && error.cause !== undefined ? describe(error.cause, depth + 1) : undefined
  return { name, message, code, constraint, stack, cause }
}
