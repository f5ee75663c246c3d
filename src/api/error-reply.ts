import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PlazaError } from '../platform/errors.js'
import { prepareErrorReply, toPlazaError } from '../platform/http/failure.js'

/** Seconds a client should wait before a retry if the cause gives no time. */
const RETRY_AFTER_SECONDS = 1

/** Replies to a failure with the body that `render` makes of its error. */
export function replyToFailure(
  failure: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  render: (error: PlazaError, request: FastifyRequest) => object,
): FastifyReply {
  const error = toPlazaError(failure)
  prepareErrorReply(error, request, reply, RETRY_AFTER_SECONDS)
  return reply.send(render(error, request))
}

/** The JSON body of an error. `internal` contains only the request id. */
export function errorBody(error: PlazaError, request: FastifyRequest): Record<string, unknown> {
  const { code, message, property } = error
  if (code === 'internal') return { code, message: `internal error, request ${request.id}` }
  return property === undefined ? { code, message } : { code, message, property }
}
