import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describeError, type ErrorCode, PlazaError } from '../errors.js'
import type { ErrorRes } from '../views/schema/error.js'
import { prepareErrorReply, toPlazaError } from './error-reply.js'

/**
 * `code` of ErrorRes. The specification knows `InvalidField`; the others are ours, in its manner. What the hub's
 * rules refuse keeps the hub's own code.
 */
const codes: Partial<Record<ErrorCode, string>> = {
  'bad_request.invalid_param': 'InvalidField',
  'bad_request.rate_limited': 'RateLimited',
  'bad_request.too_large': 'TooLarge',
  unauthenticated: 'Unauthorized',
  not_found: 'NotFound',
  unavailable: 'Unavailable',
  internal: 'InternalError',
}

/** The body of a failed request. An error of ours only names the id that the log has. */
export function errorRes(error: PlazaError, request: FastifyRequest): ErrorRes {
  const { code, property } = error
  const message = code === 'internal' ? `internal error, request ${request.id}` : error.message
  return {
    message,
    code: codes[code] ?? code,
    ...(property === undefined ? {} : { property }),
    status: describeError(code).status,
  }
}

/** Makes a scope answer every failure with ErrorRes, also of paths that are not there. */
export function answerErrorRes(scope: FastifyInstance): void {
  scope.setErrorHandler((failure, request, reply) => {
    const error = toPlazaError(failure)
    prepareErrorReply(error, request, reply)
    return reply.send(errorRes(error, request))
  })
  scope.setNotFoundHandler((request, reply) => {
    // Without the query, which may hold what does not belong into answers.
    const [path] = request.url.split('?')
    const error = new PlazaError('not_found', `no operation ${request.method} ${path}`)
    return reply.status(404).send(errorRes(error, request))
  })
}
