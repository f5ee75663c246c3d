import { Metadata, type StatusObject } from '@grpc/grpc-js'
import { isUnavailable } from '../../../platform/db/connection-errors.js'
import { describeError, PlazaError } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'

/**
 * The status that a failure becomes, by the catalogue: the text is `<code>/<message>` and the code stands in the
 * metadata `x-err-code` too, both as in the reference node (docs/protocol.md §1.6). What is ours to explain goes to the log, and
 * the client is told no more than that.
 */
export function statusOf(cause: unknown, method: string, log: Log): StatusObject {
  const error = toPlazaError(cause)
  if (error.code === 'internal') log.error({ err: cause, method }, 'hub call failed')
  else if (error.code === 'unavailable' && error.cause)
    log.warn({ err: error.cause, method }, 'hub call refused')
  const metadata = new Metadata()
  metadata.set('x-err-code', error.code)
  return {
    code: describeError(error.code).grpcCode,
    details: `${error.code}/${error.message}`,
    metadata,
  }
}

function toPlazaError(cause: unknown): PlazaError {
  if (cause instanceof PlazaError && cause.code !== 'internal') return cause
  if (isUnavailable(cause)) {
    return new PlazaError('unavailable', 'the database is away; try again soon', { cause })
  }
  return new PlazaError('internal', 'internal error; it stands in the log of the server', { cause })
}
