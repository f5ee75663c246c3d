import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { outageOf, unavailableError } from '../platform/db/connection-errors.js'
import { describeError, type ErrorCode, PlazaError } from '../platform/errors.js'
import { messageOf } from '../platform/log/error-journal.js'

/** Seconds a client should wait before a retry if the cause gives no time. */
const RETRY_AFTER_SECONDS = 1

/** Error codes for the statuses of Fastify's own errors. */
const codesByStatus = new Map<number, ErrorCode>([
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [413, 'bad_request.too_large'],
  [429, 'bad_request.rate_limited'],
])

/**
 * Converts any failure to a PlazaError. A PlazaError passes through; an unreachable database becomes
 * `unavailable`; a refusal by Fastify (too large, not JSON) becomes a bad request; anything
 * else becomes `internal`.
 */
export function toPlazaError(error: unknown): PlazaError {
  if (error instanceof PlazaError) return error
  const unavailable = unavailableError(error)
  if (unavailable) return unavailable
  if (isClientError(error)) {
    const code = codesByStatus.get(error.statusCode) ?? 'bad_request.invalid_param'
    return new PlazaError(code, error.message)
  }
  return new PlazaError('internal', 'internal error', { cause: error })
}

/** Failures of requests that were answered with 500 and above. */
const failures = new WeakMap<FastifyRequest, string>()

/** The message of what failed in a request; empty when nothing did. */
export function failureOf(request: FastifyRequest): string {
  return failures.get(request) ?? ''
}

/** Logs failures of the server and sets status and headers. The caller renders the body. */
export function prepareErrorReply(error: PlazaError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, retry } = describeError(error.code)
  reply.status(status)
  if (status >= 500) {
    failures.set(request, messageOf(error.cause ?? error))
    request.span?.fail(error.cause ?? error)
  }
  if (retry && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', error.retryAfterSeconds ?? RETRY_AFTER_SECONDS)
  }
  if (error.code === 'internal') request.log.error({ err: error.cause }, 'request failed')
  else if (error.code === 'unavailable') {
    request.log.warn({ err: error.cause ?? error, outage: outageOf(error.cause) }, 'request refused')
  }
}

/** The JSON body of an error. `internal` contains only the request id. */
export function errorBody(error: PlazaError, request: FastifyRequest): Record<string, unknown> {
  const { code, message, property } = error
  if (code === 'internal') return { code, message: `internal error, request ${request.id}` }
  return property === undefined ? { code, message } : { code, message, property }
}

function isClientError(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error)) return false
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}
