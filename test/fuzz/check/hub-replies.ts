import { HubServiceService } from '../../../src/protocol/proto/generated/rpc.js'
import type { GrpcRequest, HttpRequest, RawRequest } from '../generator/requests.js'
import type { GrpcAnswer } from '../transports/grpc.js'
import type { HttpAnswer } from '../transports/http.js'
import { parseAnswers } from '../transports/raw.js'

const ERROR_MEMBERS = [
  'error',
  'error_detail',
  'errCode',
  'presentable',
  'name',
  'code',
  'details',
  'metadata',
]

/** What is wrong with a reply of the hub's HTTP API; null if nothing is. */
export function hubProblem(request: HttpRequest, { status, headers, body }: HttpAnswer): string | null {
  if (status >= 500 && status !== 503) return `status ${status}: ${body.toString('latin1', 0, 300)}`
  const isJson = String(headers['content-type']).startsWith('application/json')
  if (request.method === 'OPTIONS' || request.method === 'HEAD' || status === 304 || body.length === 0)
    return null
  if (!isJson)
    return status < 400 && request.operation?.includes('/mesh') ? null : `status ${status} that is not JSON`
  const reply = objectOf(body)
  if (reply === null)
    return `status ${status} with a body that is no JSON object: ${body.toString('latin1', 0, 200)}`
  if (status < 400) return null
  const missing = ERROR_MEMBERS.filter((name) => !(name in reply))
  // A path that cannot be decoded belongs to no API: it has the error body of the server.
  const isGeneral = typeof reply.message === 'string' && typeof reply.code === 'string'
  return missing.length === 0 || isGeneral ? null : `status ${status} without ${missing.join(', ')}`
}

/** What is wrong with a reply beside the documents; null if nothing is. */
export function pageProblem({ status, headers, body }: HttpAnswer): string | null {
  const text = body.toString('latin1', 0, 300)
  if (status >= 500 && ![501, 503].includes(status)) return `status ${status}: ${text}`
  const isJson = String(headers['content-type']).startsWith('application/json')
  return isJson && body.length > 0 && objectOf(body) === null
    ? `status ${status} with broken JSON: ${text}`
    : null
}

/** What is wrong with what came back on a raw connection; null if nothing is. */
export function rawProblem(
  { port, answers, about, pieces, isAbandoned }: RawRequest,
  bytes: Buffer,
): string | null {
  if (port === 'grpc') return null
  // What comes back when the client has left may end anywhere.
  if (isAbandoned)
    return /^HTTP\/1\.1 5/m.test(bytes.toString('latin1'))
      ? `${about}: ${bytes.toString('latin1', 0, 300)}`
      : null
  const isHead = pieces[0]?.toString('latin1').startsWith('HEAD ') === true
  try {
    const found = parseAnswers(bytes, isHead).filter(({ status }) => status >= 200)
    const failed = found.find(({ status }) => status >= 500 && status !== 501 && status !== 505)
    if (failed) return `${about}: status ${failed.status}: ${failed.body.toString('latin1', 0, 300)}`
    if (found.length < answers) return `${about}: ${found.length} of ${answers} answers`
    const broken = found.find(
      ({ type, body }) => type.includes('json') && body.length > 0 && objectOf(body) === null,
    )
    return broken ? `${about}: status ${broken.status} with broken JSON` : null
  } catch (error) {
    return `${about}: ${(error as Error).message}`
  }
}

const UNKNOWN = 2
const INTERNAL = 13
const DATA_LOSS = 15
/** The library answers INTERNAL for these, before the server sees the call. */
const libraryRefusals = /^Invalid%20grpc-timeout/

/** What is wrong with how a gRPC call ended; null if nothing is. */
export function grpcProblem(request: GrpcRequest, answer: GrpcAnswer): string | null {
  const { httpStatus, status, message, body, resetCode } = answer
  const text = `${request.about}: status ${status}, HTTP ${httpStatus}, reset ${resetCode}: ${message.slice(0, 300)}`
  if (status === undefined) {
    if (request.method === 'subscribe' || resetCode !== 0) return null
    return httpStatus !== undefined && httpStatus >= 400 && httpStatus < 500 ? null : `${text} (no status)`
  }
  if (!Number.isInteger(status) || status < 0 || status > 16) return `${text} (unknown status)`
  if ([UNKNOWN, INTERNAL, DATA_LOSS].includes(status)) return libraryRefusals.test(message) ? null : text
  return status === 0 && request.method ? replyProblem(request.method, body) : null
}

function replyProblem(method: string, body: Buffer): string | null {
  if (body.length < 5 || body.readUInt32BE(1) !== body.length - 5)
    return `${method}: the reply is no whole message`
  const definition = HubServiceService[method as keyof typeof HubServiceService]
  try {
    definition.responseDeserialize(body.subarray(5))
    return null
  } catch (error) {
    return `${method}: the reply cannot be decoded: ${(error as Error).message}`
  }
}

function objectOf(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
