import type { FastifyReply, FastifyRequest } from 'fastify'
import { outageOf } from '../../../platform/db/connection-errors.js'
import { describeError, type ErrorCode, PlazaError } from '../../../platform/errors.js'
import { knownError } from '../refusals.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The `error` of the error body of this route. */
    failure?: string
    /** The status of what is not found, if not 404. */
    notFoundStatus?: number
  }
}

/** The `retry-after` of errors that do not come with their own. */
const RETRY_AFTER_SECONDS = 2

/** The codes of the errors that Fastify itself makes. */
const codesByStatus = new Map<number, ErrorCode>([
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [413, 'bad_request.too_large'],
  [429, 'bad_request.rate_limited'],
  [503, 'unavailable'],
])

/** Answers with the error body of the hub API. Of an internal error only the log has the cause. */
export function sendFailure(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toPlazaError(cause, request)
  if (error.code === 'internal') request.log.error({ err: cause }, 'hub request failed')
  else if (error.code === 'unavailable')
    request.log.warn(
      { err: error.cause ?? error, outage: outageOf(error.cause) },
      'hub request failed: service unavailable',
    )
  if (describeError(error.code).retry && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', error.retryAfterSeconds ?? RETRY_AFTER_SECONDS)
  }
  const failure = request.routeOptions.config.failure ?? 'Failed to handle request'
  // Statuses without a code of their own, such as 415, stay as they are.
  const given = statusOf(cause)
  const isOther = given !== null && !codesByStatus.has(given) && given < 500
  const { status } = describeError(error.code)
  const notFoundStatus = error.code === 'not_found' ? request.routeOptions.config.notFoundStatus : undefined
  return reply.status(isOther ? given : (notFoundStatus ?? status)).send(failureBody(failure, error))
}

/** Maps a failure to the catalogue, errors of Fastify included. */
export function toPlazaError(cause: unknown, request: FastifyRequest): PlazaError {
  const known = knownError(cause)
  if (known) return known
  const status = statusOf(cause)
  if (cause instanceof Error && status !== null && status < 500) {
    return new PlazaError(codesByStatus.get(status) ?? 'bad_request.invalid_param', cause.message)
  }
  return new PlazaError('internal', `internal error; the log has it under request ${request.id}`, { cause })
}

function statusOf(cause: unknown): number | null {
  if (!(cause instanceof Error) || !('statusCode' in cause)) return null
  return typeof cause.statusCode === 'number' && cause.statusCode >= 400 ? cause.statusCode : null
}

/**
 * Makes the error body, with the keys of both generations of hubs (docs/protocol.md §1.6): the reference node
 * has `error` and `error_detail`, hubs before it the others. `property` names the wrong parameter.
 */
export function failureBody(failure: string, error: PlazaError): Record<string, unknown> {
  const { code, message, property } = error
  const { grpcCode } = describeError(code)
  return {
    error: failure,
    error_detail: grpcStatusText(code, message),
    errCode: code,
    presentable: false,
    name: 'HubError',
    code: grpcCode,
    details: message,
    metadata: { errcode: [code] },
    property,
  }
}

/** Prints a gRPC status as the reference node does in its HTTP API. */
function grpcStatusText(code: ErrorCode, message: string): string {
  const { grpc } = describeError(code)
  const text = rustQuoted(`${code}/${message}`)
  return `status: ${grpc}, message: ${text}, details: [], metadata: MetadataMap { headers: {"x-err-code": ${rustQuoted(code)}} }`
}

const rustEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
}

/** Quotes a string in Rust's debug form. */
function rustQuoted(text: string): string {
  const escaped = text.replace(
    /["\\\p{Cc}]/gu,
    (character) => rustEscapes[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`,
  )
  return `"${escaped}"`
}
