import { ErrorRes } from '../graph/view/schema/error.js'
import type { JsonValue, SchemaWriter } from './openapi-schema.js'

/** The rate limit headers of a reply. */
export const rateHeaders: Record<string, JsonValue> = {
  'RateLimit-Limit': {
    description: 'Requests per minute. Only for a key with a limit, like the next two headers.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'Requests that are allowed now.', schema: { type: 'integer' } },
  'RateLimit-Reset': {
    description: 'Seconds until the full limit is available.',
    schema: { type: 'integer' },
  },
}

const retryHeader: Record<string, JsonValue> = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
}

interface Failure {
  /** The name of the component. */
  readonly name: string
  readonly text: string
  readonly headers?: Record<string, JsonValue>
}
type Failures = Readonly<Record<number, Failure>>

const invalidInput = 'A parameter or a member of the body is wrong: `property` names it.'
const serverFailure = 'The server failed; `message` has the request id of its log.'

const tooLarge = 'The body is too large.'
const notServed = 'The operation needs what this server has not configured, or does not serve.'
const otherSideFailed = 'Another server did not answer, such as an RPC of a chain or a page.'

/** The errors of every operation; 413 only with a body. 401 has no rate headers, since the key is unknown. */
export const failures: Failures = {
  400: { name: 'BadRequest', text: invalidInput, headers: rateHeaders },
  401: {
    name: 'Unauthorized',
    text: 'The API key or the bearer token is missing, wrong or expired.',
  },
  413: { name: 'ContentTooLarge', text: tooLarge, headers: rateHeaders },
  429: {
    name: 'TooManyRequests',
    text: 'The key is above its rate limit.',
    headers: { ...rateHeaders, ...retryHeader },
  },
  500: { name: 'InternalError', text: serverFailure, headers: rateHeaders },
  501: { name: 'NotServed', text: notServed, headers: rateHeaders },
  502: { name: 'OtherSideFailed', text: otherSideFailed, headers: rateHeaders },
  503: {
    name: 'Unavailable',
    text: 'The database is not available or took too long.',
    headers: { ...rateHeaders, ...retryHeader },
  },
}

/** The errors of every admin operation; 413 only with a body. */
export const adminFailures: Failures = {
  400: { name: 'AdminBadRequest', text: invalidInput },
  401: { name: 'AdminUnauthorized', text: 'The admin token is missing or wrong.' },
  413: { name: 'AdminContentTooLarge', text: tooLarge },
  429: {
    name: 'AdminTooManyAttempts',
    text: 'This address has sent too many wrong tokens.',
    headers: retryHeader,
  },
  500: { name: 'AdminInternalError', text: serverFailure },
  501: { name: 'AdminNotServed', text: notServed },
  502: { name: 'AdminOtherSideFailed', text: otherSideFailed },
  503: {
    name: 'AdminUnavailable',
    text: 'The database is not available or took too long.',
    headers: retryHeader,
  },
}

/** References to the shared responses of these errors, for an operation with or without a body. */
export function errorReferences(all: Failures, hasBody: boolean): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([status, { name }]) =>
      status === '413' && !hasBody ? [] : [[status, { $ref: `#/components/responses/${name}` }]],
    ),
  )
}

/** The shared error responses, for `components.responses`. */
export function sharedResponses(writer: SchemaWriter): JsonValue {
  return Object.fromEntries(
    [...Object.values(failures), ...Object.values(adminFailures)].map(({ name, text, headers = {} }) => [
      name,
      documentedError(text, headers, writer),
    ]),
  )
}

/** Describes an error of an operation. */
function documentedError(
  text: string,
  headers: Record<string, JsonValue>,
  writer: SchemaWriter,
): Record<string, JsonValue> {
  return {
    description: text,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { 'application/json': { schema: writer.write(ErrorRes) } },
  }
}

interface OperationFailures {
  readonly paymentRequired?: string
  readonly forbidden?: string
  readonly notFound?: string
  readonly conflict?: string
  readonly unprocessable?: string
}

/** The error responses that an operation documents. */
export function operationFailures(
  failures: OperationFailures,
  headers: Record<string, JsonValue>,
  writer: SchemaWriter,
): Record<string, JsonValue> {
  const { paymentRequired, forbidden, notFound, conflict, unprocessable } = failures
  const texts = {
    402: paymentRequired,
    403: forbidden,
    404: notFound,
    409: conflict,
    422: unprocessable,
  }
  return Object.fromEntries(
    Object.entries(texts).flatMap(([status, text]) =>
      text === undefined ? [] : [[status, documentedError(text, headers, writer)] as const],
    ),
  )
}
