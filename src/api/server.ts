import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import type { Logger } from 'pino'
import { describeError, PlazaError } from '../platform/errors.js'
import type { Metrics } from '../platform/metrics.js'
import { redactedPath } from '../platform/text/redacted-path.js'
import { errorBody, prepareErrorReply, toPlazaError } from './error-reply.js'
import { errorResponse } from './error-response.js'
import { encodeHttp, type HttpEncodingOptions } from './http-encoding.js'

export interface ServerOptions {
  readonly log: Logger
  readonly metrics: Metrics
  readonly trustProxy: boolean
  /** Undefined: replies go out as they are, and bodies must come so. */
  readonly encoding?: HttpEncodingOptions
  /** Functions that add routes, each in a scope of its own. */
  readonly routes: readonly ((app: FastifyInstance) => void | Promise<void>)[]
}

/** Default limit of a body in bytes. */
const BODY_LIMIT_BYTES = 1024 * 1024
/** Time a client has to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than the idle timeout of the usual load balancers (60 s), so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000

/** A request id that a proxy may set; it is copied into logs and headers. */
const saneRequestId = /^[\w.:-]{1,64}$/

/** Paths that machines poll; their log lines would hide others. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics'])

/** Builds the HTTP server with the parts that all routes share. It does not listen. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, metrics } = options
  const app: FastifyInstance = Fastify<RawServerDefault>({
    loggerInstance: log,
    // The onResponse hook below writes one line for each request.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => {
      const requestId = headers['x-request-id']
      return typeof requestId === 'string' && saneRequestId.test(requestId) ? requestId : randomUUID()
    },
    trustProxy: options.trustProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: refuseUnreadablePath,
    clientErrorHandler: answerConnectionError,
    // Requests that arrive while draining are answered, on connections that then close.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })

  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    const [path = ''] = request.url.split('?', 1)
    if (path.includes('%00')) throw new PlazaError('bad_request.invalid_param', 'the path holds U+0000')
  })
  if (options.encoding) encodeHttp(app, options.encoding)
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unmatched'
    const status = reply.statusCode
    const seconds = reply.elapsedTime / 1000
    metrics.requests.observe({ method: request.method, route, status }, seconds)
    if (quietRoutes.has(route)) return
    const line = { method: request.method, route, status, ms: Math.round(reply.elapsedTime) }
    if (status >= 400) request.log.info(line, 'request')
    else request.log.debug(line, 'request')
  })
  app.setErrorHandler((failure, request, reply) => {
    const error = toPlazaError(failure)
    prepareErrorReply(error, request, reply)
    return reply.send(errorBody(error, request))
  })
  app.setNotFoundHandler((request, reply) => {
    const error = new PlazaError('not_found', `no route ${request.method} ${redactedPath(request.url)}`)
    return reply.status(404).send(errorBody(error, request))
  })

  for (const routes of options.routes) await app.register(async (scope) => routes(scope))
  await app.ready()
  return app
}

/** Fastify's error texts repeat the path, which may hold secrets. */
const unreadable: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'the path cannot be decoded: each % must be followed by two hex digits that form UTF-8',
  FST_ERR_MAX_PARAM_LENGTH: 'a segment of the path is too long',
}

/** A path that cannot be decoded belongs to no scope with an error handler. */
function refuseUnreadablePath(failure: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem = unreadable[failure.code]
  const error =
    problem === undefined ? toPlazaError(failure) : new PlazaError('bad_request.invalid_param', problem)
  const body = /^\/(v2|admin)\//.test(request.url) ? errorResponse(error, request) : errorBody(error, request)
  reply.status(describeError(error.code).status).send(body)
}

/** What a client is told whose bytes are no request: there is no path yet, and so no route to ask. */
const problems: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'RequestTimeout', 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'HeadersTooLarge', 'the headers are longer than 16 kB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'TooLarge', 'the extensions of a chunk are too long'],
}
const malformed = [400, 'MalformedRequest', 'this is not a valid HTTP/1.1 request'] as const

/** Answers a failure of the HTTP parser with the error body of the API, and closes the connection. */
function answerConnectionError(failure: Error & { readonly code?: string }, socket: Socket): void {
  if (failure.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, message] = problems[failure.code ?? ''] ?? malformed
  const body = JSON.stringify({ message, code, status })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
