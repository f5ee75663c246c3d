import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeError, type ErrorCode, PlazaError } from '../../../platform/errors.js'
import { prepareErrorReply, toPlazaError, uncatalogedStatus } from '../../../platform/http/failure.js'

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

/** Answers with the error body of the hub API. Of an internal error only the log has the cause. */
export function sendFailure(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toHubError(cause, request)
  prepareErrorReply(error, request, reply, RETRY_AFTER_SECONDS)
  const { failure = 'Failed to handle request', notFoundStatus } = request.routeOptions.config
  if (error.code === 'not_found' && notFoundStatus !== undefined) reply.status(notFoundStatus)
  const status = uncatalogedStatus(cause)
  if (status !== null) reply.status(status)
  return reply.send(failureBody(failure, error))
}

/** Converts a failure to an error of the catalog, of which an internal one says where its cause is. */
export function toHubError(cause: unknown, request: FastifyRequest): PlazaError {
  const error = toPlazaError(cause)
  if (error.code !== 'internal') return error
  return new PlazaError('internal', `internal error; the log has it under request ${request.id}`, { cause })
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
