import type { FastifyReply, FastifyRequest } from 'fastify'
import { outageOf, unavailableError } from '../db/connection-errors.js'
import { describeError, type ErrorCode, PlazaError } from '../errors.js'
import { messageOf } from '../log/error-journal.js'
import type { TraceSpan } from '../tracing/active-span.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's own span; null when tracing is off. */
    span: TraceSpan | null
  }
}

/** Error codes for the statuses of Fastify's own errors. */
const codesByStatus = new Map<number, ErrorCode>([
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [413, 'bad_request.too_large'],
  [429, 'bad_request.rate_limited'],
])

/** An error of ours, or a database that is unavailable, as an error of the catalog; null for anything else, such as a bug. */
export function knownError(failure: unknown): PlazaError | null {
  if (failure instanceof PlazaError && failure.code !== 'internal') return failure
  return unavailableError(failure)
}

/**
 * Converts any failure of a request to a PlazaError: a refusal by Fastify (too large, not JSON) becomes a bad request, and
 * what is not known `internal`, with the failure as its cause.
 */
export function toPlazaError(failure: unknown): PlazaError {
  const known = knownError(failure)
  if (known) return known
  const status = clientStatusOf(failure)
  if (failure instanceof Error && status !== null)
    return new PlazaError(codesByStatus.get(status) ?? 'bad_request.invalid_param', failure.message)
  return new PlazaError('internal', 'internal error', { cause: failure })
}

/** The status of one of Fastify's errors for which the catalog has no code of its own, such as 415; null of any other. */
export function uncatalogedStatus(failure: unknown): number | null {
  const status = failure instanceof PlazaError ? null : clientStatusOf(failure)
  return status === null || codesByStatus.has(status) ? null : status
}

function clientStatusOf(failure: unknown): number | null {
  if (!(failure instanceof Error) || !('statusCode' in failure)) return null
  const { statusCode } = failure
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : null
}

/** Failures of requests that were answered with 500 and above. */
const failureMessages = new WeakMap<FastifyRequest, string>()

/** The message of what failed in a request; empty when nothing did. */
export function failureMessageOf(request: FastifyRequest): string {
  return failureMessages.get(request) ?? ''
}

/**
 * Logs failures of the server, marks the request's span, and sets the status and when to try again. The caller sends the body.
 *
 * @param retryAfterSeconds Until a retry, if the error does not say.
 */
export function prepareErrorReply(
  error: PlazaError,
  request: FastifyRequest,
  reply: FastifyReply,
  retryAfterSeconds: number,
): void {
  const { status, retry } = describeError(error.code)
  reply.status(status)
  if (status >= 500) {
    failureMessages.set(request, messageOf(error.cause ?? error))
    request.span?.fail(error.cause ?? error)
  }
  if (retry && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', error.retryAfterSeconds ?? retryAfterSeconds)
  }
  if (error.code === 'internal') request.log.error({ err: error.cause }, 'request failed')
  else if (error.code === 'unavailable') {
    request.log.warn({ err: error.cause ?? error, outage: outageOf(error.cause) }, 'request refused')
  }
}
