import { Metadata, type StatusObject } from '@grpc/grpc-js'
import { isUnavailable } from '../../../platform/db/connection-errors.js'
import { describeError, PlazaError } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'

/**
 * Maps a failure to a gRPC status. Its text is `<code>/<message>`, and the metadata `x-err-code` has the
 * code, both as in the reference node (docs/protocol.md §1.6). The log gets the cause of an internal error,
 * the client does not.
 */
export function statusOf(cause: unknown, method: string, log: Log): StatusObject {
  const error = toPlazaError(cause)
  if (error.code === 'internal') log.error({ err: cause, method }, 'hub call failed')
  else if (error.code === 'unavailable' && error.cause)
    log.warn({ err: error.cause, method }, 'hub call failed: service unavailable')
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
    return new PlazaError('unavailable', 'the database is unavailable; try again soon', { cause })
  }
  return new PlazaError('internal', 'internal error; the log of the server has it', { cause })
}
