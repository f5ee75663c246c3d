import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../platform/db/connection-errors.js'
import { describeError, type ErrorCode, PlazaError } from '../platform/errors.js'

/** How long a client should wait before it asks again, where the cause is not ours to know. */
const RETRY_AFTER_SECONDS = 1

/** Statuses that Fastify itself answers with, in our words. */
const codesByStatus = new Map<number, ErrorCode>([
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [413, 'bad_request.too_large'],
  [429, 'bad_request.rate_limited'],
])

/**
 * What a failure means to the client. Expected refusals pass through; a database that is away is
 * `unavailable`; what Fastify refuses (a body that is too large, is no JSON, breaks the schema) is a bad
 * request; everything else is ours and says nothing but `internal`.
 */
export function toPlazaError(error: unknown): PlazaError {
  if (error instanceof PlazaError) return error
  if (isUnavailable(error)) {
    return new PlazaError('unavailable', 'the database is away, try again soon', { cause: error })
  }
  if (isClientError(error)) {
    const code = codesByStatus.get(error.statusCode) ?? 'bad_request.invalid_param'
    const [failed] = error.validation ?? []
    const property = failed?.params.missingProperty ?? failed?.instancePath.slice(1).replaceAll('/', '.')
    return new PlazaError(code, error.message, typeof property === 'string' ? { property } : {})
  }
  return new PlazaError('internal', 'internal error', { cause: error })
}

/** Logs what is ours, and sets status and headers. The body is the caller's to shape. */
export function prepareErrorReply(error: PlazaError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, retry } = describeError(error.code)
  reply.status(status)
  if (retry && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', error.retryAfterSeconds ?? RETRY_AFTER_SECONDS)
  }
  if (error.code === 'internal') request.log.error({ err: error.cause }, 'request failed')
  else if (error.code === 'unavailable') request.log.warn({ err: error.cause ?? error }, 'request refused')
}

/** The body that the main API answers with; an error of ours only names the id that the log has. */
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
