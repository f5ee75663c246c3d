import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { failureBody } from '../hub/methods/http/errors.js'
import { type ErrorCode, PlazaError } from '../platform/errors.js'
import { corsHeadersOf } from '../platform/http/cors.js'
import type { Log } from '../platform/log/log.js'
import { endWithLinger, isAnswered } from './lingering-close.js'

/** A failure of the HTTP parser. */
interface ParserFailure {
  readonly code?: string
  /** The bytes that it failed on. */
  readonly rawPacket?: unknown
}

interface Problem {
  readonly status: number
  /** `code` of the main API. */
  readonly code: string
  /** `errCode` of the hub. */
  readonly hubCode: ErrorCode
  readonly message: string
}

/** Errors for bytes that are no request: there is no route to ask. */
const problems: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'RequestTimeout',
    hubCode: 'bad_request.invalid_param',
    message: 'the request did not arrive in time',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HeadersTooLarge',
    hubCode: 'bad_request.too_large',
    message: 'the path and the headers are longer than 32 kB',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'TooLarge',
    hubCode: 'bad_request.too_large',
    message: 'the extensions of a chunk are too long',
  },
}
const malformed: Problem = {
  status: 400,
  code: 'MalformedRequest',
  hubCode: 'bad_request.parse_failure',
  message: 'this is not a valid HTTP/1.1 request',
}

/** The hub's paths, but not those of the main API's version 1. */
export const hubPath = /^\/v1\/(?!farcaster\/)/
const requestLine = /^[A-Z]{1,20} (\/\S{0,100})/
const REQUEST_LINE_BYTES = 128

/** The members of Node's connections that tell what was being received; none is declared. */
interface HttpSocket extends Socket {
  readonly parser?: { readonly incoming?: { readonly url?: string } | null } | null
  readonly _httpMessage?: ServerResponse | null
}

/** Answers failures of the HTTP parser in the form of the API that the request was for, as far as that is known. */
export function answerUnparsed(log: Log): (failure: ParserFailure, socket: Socket) => void {
  return (failure, socket) => {
    if (failure.code === 'ECONNRESET' || socket.destroyed || isAnswered(socket)) {
      endWithLinger(socket)
      return
    }
    const pending = (socket as HttpSocket)._httpMessage
    // An answer is under way: another one would be taken for a part of it.
    if (!socket.writable || pending?.headersSent) {
      socket.destroy()
      return
    }
    // An earlier request of this connection waits for its answer, which is then the last.
    if (pending?.req.complete) {
      pending.setHeader('connection', 'close')
      return
    }
    const problem = problems[failure.code ?? ''] ?? malformed
    const { status } = problem
    const requestId = randomUUID()
    log.info({ reqId: requestId, status, reason: failure.code }, 'bytes that are no request were refused')
    const path = pathOf(failure, socket)
    const body = JSON.stringify(bodyOf(problem, path))
    endWithLinger(
      socket,
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'content-type: application/json; charset=utf-8',
        'x-content-type-options: nosniff',
        'cache-control: no-store',
        `content-length: ${Buffer.byteLength(body)}`,
        `x-request-id: ${requestId}`,
        'connection: close',
        ...Object.entries(corsHeadersOf(path)).map(([name, value]) => `${name}: ${value}`),
        '',
        body,
      ].join('\r\n'),
    )
  }
}

function bodyOf({ status, code, hubCode, message }: Problem, path: string): object {
  return hubPath.test(path)
    ? failureBody('Failed to read request', new PlazaError(hubCode, message))
    : { message, code, status }
}

/** The path of the request: its headers were read, or it is in the bytes that could not be. Empty if neither. */
function pathOf({ rawPacket }: ParserFailure, socket: HttpSocket): string {
  const url = socket.parser?.incoming?.url
  if (url) return url
  const start = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, REQUEST_LINE_BYTES) : ''
  return requestLine.exec(start)?.[1] ?? ''
}

/** Answers requests with an unknown `Expect` as any others (RFC 9110 §10.1.1). Node.js would refuse them without a word. */
export function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

const HOST = 'host'

/** Refuses requests without a header Host, or with several (RFC 9112 §3.2). Node.js would refuse without a word. */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const hosts = countHosts(request)
    if (hosts === 1 || (hosts === 0 && request.raw.httpVersion === '1.0')) {
      done()
      return
    }
    // What is behind a request that two servers read differently is not read.
    reply.header('connection', 'close')
    const problem = hosts === 0 ? 'is missing' : `is there ${hosts} times`
    done(new PlazaError('bad_request.invalid_param', `the header Host ${problem}`, { property: HOST }))
  })
}

function countHosts({ raw: { rawHeaders } }: FastifyRequest): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === HOST.length && name.toLowerCase() === HOST) count += 1
  }
  return count
}
