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

/** Returns the text of an error for a client. Of an internal one it only says under which request the log has it. */
export function clientMessage({ code, message }: PlazaError, { id }: FastifyRequest): string {
  return code === 'internal' ? `internal error, request ${id}` : message
}

/** The JSON body of an error. */
export function errorBody(error: PlazaError, request: FastifyRequest): Record<string, unknown> {
  const { code, property } = error
  const message = clientMessage(error, request)
  return property === undefined ? { code, message } : { code, message, property }
}
