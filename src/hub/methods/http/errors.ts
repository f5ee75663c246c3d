import type { FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../../../platform/db/connection-errors.js'
import { describeError, type ErrorCode, PlazaError } from '../../../platform/errors.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What an error of this route is called: the `error` of the hub API's error body. */
    failure?: string
  }
}

/** A client that was told to wait waits this long, where nobody knows better. */
const RETRY_AFTER_SECONDS = 2

/** What Fastify itself answers with, in the words of the catalogue. */
const codesByStatus = new Map<number, ErrorCode>([
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [413, 'bad_request.too_large'],
  [429, 'bad_request.rate_limited'],
  [503, 'unavailable'],
])

/** What went wrong, as the client is told. */
interface Failure {
  readonly error: PlazaError
  readonly status: number
}

/**
 * Answers with the error body of the hub API. What is ours to explain goes to the log, and only its request
 * id to the client.
 */
export function sendFailure(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error, status } = toFailure(cause, request)
  if (error.code === 'internal') request.log.error({ err: cause }, 'hub request failed')
  else if (error.code === 'unavailable')
    request.log.warn({ err: error.cause ?? error }, 'hub request refused')
  if (describeError(error.code).retry && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', RETRY_AFTER_SECONDS)
  }
  const failure = request.routeOptions.config.failure ?? 'Failed to handle request'
  return reply.status(status).send(failureBody(failure, error))
}

function toFailure(cause: unknown, request: FastifyRequest): Failure {
  const error = toPlazaError(cause, request)
  const { status } = describeError(error.code)
  // 415 and the like have no code of their own, and keep their status.
  const given = statusOf(cause)
  return { error, status: given !== null && !codesByStatus.has(given) && given < 500 ? given : status }
}

/** What a failure is in the catalogue: ours as they are, a database that is away, what Fastify refused. */
export function toPlazaError(cause: unknown, request: FastifyRequest): PlazaError {
  if (cause instanceof PlazaError && cause.code !== 'internal') return cause
  if (isUnavailable(cause)) {
    return new PlazaError('unavailable', 'the database is away; try again soon', { cause })
  }
  const status = statusOf(cause)
  if (cause instanceof Error && status !== null && status < 500) {
    return new PlazaError(codesByStatus.get(status) ?? 'bad_request.invalid_param', cause.message)
  }
  return new PlazaError('internal', `internal error; request ${request.id} stands in the log`, { cause })
}

function statusOf(cause: unknown): number | null {
  if (!(cause instanceof Error) || !('statusCode' in cause)) return null
  return typeof cause.statusCode === 'number' && cause.statusCode >= 400 ? cause.statusCode : null
}

/**
 * The error body with the keys of both generations of hubs (docs/protocol.md §1.6): `error` and `error_detail` of the
 * reference node, the others of the hubs before it. `property` names the parameter at fault.
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

/** How the reference node prints the gRPC status below its HTTP API. */
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

/** A string in Rust's debug form. */
function rustQuoted(text: string): string {
  const escaped = text.replace(
    /["\\\p{Cc}]/gu,
    (character) => rustEscapes[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`,
  )
  return `"${escaped}"`
}
