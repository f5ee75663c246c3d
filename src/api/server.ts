import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import type { Logger } from 'pino'
import { failureBody } from '../hub/methods/http/errors.js'
import { describeError, isServerFailure, PlazaError } from '../platform/errors.js'
import { allowAnyOrigin, corsHeadersOf } from '../platform/http/cors.js'
import { failureMessageOf, toPlazaError } from '../platform/http/failure.js'
import { callerOfKey } from '../platform/limits/caller-name.js'
import { preferOrdinaryRequests } from '../platform/limits/ordinary-requests.js'
import type { ErrorJournal } from '../platform/log/error-journal.js'
import type { LogFeed } from '../platform/log/log-feed.js'
import { type Metrics, observeLatency } from '../platform/metrics.js'
import { clientAddress } from '../platform/text/ip-address.js'
import { redactedMessage } from '../platform/text/redacted-message.js'
import { redactedPath } from '../platform/text/redacted-path.js'
import { noTracing, type Tracing } from '../platform/tracing/tracing.js'
import { keepFromSharedCaches } from './cache-control.js'
import type { Caller } from './caller.js'
import { errorBody, replyToFailure } from './error-reply.js'
import { errorResponse } from './error-response.js'
import { encodeHttp, type HttpEncodingOptions } from './http-encoding.js'
import { closeWithLinger } from './lingering-close.js'
import { createRefusalLog, type RefusalLog } from './refusal-log.js'
import { endStatusOf, limitRequestTime } from './request-deadlines.js'
import { traceRequests } from './request-spans.js'
import { answerUnparsed, hubPath, ignoreExpectations, requireHost } from './unparsed-requests.js'

export interface ServerOptions {
  readonly log: Logger
  readonly metrics: Metrics
  /** Notes failures of the server. */
  readonly errors?: ErrorJournal
  /** Makes spans of requests. */
  readonly tracing?: Tracing
  /** Has the last requests. */
  readonly feed?: LogFeed
  readonly trustProxy: boolean
  /** Milliseconds within which every request is answered. */
  readonly requestTimeoutMs: number
  /** How long requests may take to arrive. */
  readonly arrival?: ArrivalLimits
  /** Milliseconds that a client has to take a reply, or a part of it that is large enough. */
  readonly sendingTimeoutMs?: number
  /** Most requests that wait for their answer. */
  readonly maxPendingRequests?: number
  /** Undefined: replies go out as they are, and bodies must come so. */
  readonly encoding?: HttpEncodingOptions
  /** Whether the process was told to stop: clients then connect elsewhere for their next request. */
  readonly isStopping?: () => boolean
  /** Functions that add routes, each in a scope of its own. */
  readonly routes: readonly ((app: FastifyInstance) => void | Promise<void>)[]
}

/** Most bytes of a body, if its route has no limit of its own. */
const MAX_BODY_BYTES = 1024 * 1024
/**
 * Longest request line with all headers, in bytes. 350 addresses as keys of their own take 22 kB; the default of Node.js is
 * 16,384.
 */
const MAX_HEAD_BYTES = 32 * 1024
/** Time that a client has to send its headers and its whole request, and between two looks at it. */
export interface ArrivalLimits {
  readonly headersMs: number
  readonly requestMs: number
  readonly checkMs: number
}

const ARRIVAL: ArrivalLimits = { headersMs: 15_000, requestMs: 60_000, checkMs: 5_000 }
/** Longer than the idle timeout of the usual load balancers (60 s), so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000

/** A request id that a proxy may set; it is copied into logs and headers. */
const saneRequestId = /^[\w.:-]{1,64}$/

function noCompiler(): never {
  throw new Error('a route has a schema of the framework')
}

/** Paths that machines poll; their log lines would hide others. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics'])

/** Builds the HTTP server with the parts that all routes share. It does not listen. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, arrival = ARRIVAL } = options
  const app: FastifyInstance = Fastify<RawServerDefault>({
    loggerInstance: log,
    // `recordRequests` writes one line for each request.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => {
      const requestId = headers['x-request-id']
      return typeof requestId === 'string' && saneRequestId.test(requestId) ? requestId : randomUUID()
    },
    trustProxy: options.trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: arrival.requestMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // `requireHost` refuses them, with a reason.
    http: {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: arrival.headersMs,
      connectionsCheckingInterval: arrival.checkMs,
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true },
    // No route has a schema of the framework: its compilers, which are large, need not be loaded.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
    frameworkErrors: refuseUnreadablePath,
    clientErrorHandler: answerUnparsed(log),
    // Requests that arrive while draining are answered, on connections that then close.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })

  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  traceRequests(app, options.tracing ?? noTracing, quietRoutes)
  // Before what refuses requests: its hook would not run for them.
  recordRequests(app, options)
  allowAnyOrigin(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
    const [path = '', ...query] = request.url.split('?')
    if (!query.every(isDecodable)) throw new PlazaError('bad_request.invalid_param', unreadableText('query'))
    if (path.includes('%00')) throw new PlazaError('bad_request.invalid_param', 'the path holds U+0000')
  })
  closeWithLinger(app, MAX_BODY_BYTES)
  ignoreExpectations(app)
  requireHost(app)
  limitRequestTime(app, options)
  preferOrdinaryRequests(app)
  keepFromSharedCaches(app)
  if (options.encoding) encodeHttp(app, options.encoding)
  app.addHook('onSend', async (_request, reply) => {
    if (closing || options.isStopping?.()) reply.header('connection', 'close')
  })
  app.setErrorHandler((failure, request, reply) => replyToFailure(failure, request, reply, errorBody))
  app.setNotFoundHandler((request, reply) => {
    const error = new PlazaError('not_found', `no route ${request.method} ${redactedPath(request.url)}`)
    return reply.status(404).send(errorBody(error, request))
  })

  for (const routes of options.routes) await app.register(async (scope) => routes(scope))
  await app.ready()
  return app
}

/**
 * Measures every request that has ended, and writes a line for it; of a flood of refusals one for each caller. One whose client
 * leaves before the answer counts: with a slow database they are most.
 */
function recordRequests(app: FastifyInstance, options: ServerOptions): void {
  const refusals = createRefusalLog(options.log)
  app.addHook('onClose', async () => refusals.close())
  app.addHook('onRequest', (request, reply, done) => {
    let isRecorded = false
    // When the connection is closed it has no address any more.
    const { ip } = request
    const record = () => {
      if (isRecorded) return
      isRecorded = true
      const status = endStatusOf(request, reply)
      if (status !== null)
        recordRequest(request, { status, elapsedMs: reply.elapsedTime, ip }, { ...options, refusals })
    }
    // A reply that is not sent to its end only closes.
    reply.raw.once('finish', record).once('close', record)
    done()
  })
}

function recordRequest(
  request: FastifyRequest,
  { status, elapsedMs, ip }: { readonly status: number; readonly elapsedMs: number; readonly ip: string },
  { metrics, errors, feed, refusals }: ServerOptions & { readonly refusals: RefusalLog },
): void {
  const route = request.routeOptions.url ?? 'unmatched'
  observeLatency(metrics.requests, { method: request.method, route, status }, elapsedMs / 1000, request.span)
  if (quietRoutes.has(route)) return
  const reason = failureMessageOf(request)
  const isFailure = isServerFailure(status)
  if (isFailure) errors?.note(`${request.method} ${route} replied ${status}`, reason, request.span)
  const trace = request.span?.isRecorded ? { trace_id: request.span.traceId } : {}
  const line = { method: request.method, route, status, ms: Math.round(elapsedMs), ...trace }
  feed?.noteRequest({ ...line, requestId: request.id })
  if (status < 400) request.log.debug(line, 'request')
  else if (isFailure || refusals.admits(callerNameOf(request, ip), status))
    request.log.info({ ...line, reason: redactedMessage(reason) || undefined }, 'request')
}

/** The key of a request, or its whole address, which an operator looks for. Only some routes have callers. */
function callerNameOf({ caller }: FastifyRequest & { readonly caller?: Caller | null }, ip: string): string {
  return caller?.keyId ? callerOfKey(caller.keyId) : clientAddress(ip)
}

function unreadableText(part: 'path' | 'query'): string {
  return `the ${part} cannot be decoded: each % must be followed by two hex digits that form UTF-8`
}

/** Whether a query can be decoded. Fastify would leave each value that cannot as it is. */
function isDecodable(query: string): boolean {
  if (!query.includes('%')) return true
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

/** Fastify's error texts repeat the path, which may hold secrets. */
const unreadable: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: unreadableText('path'),
  FST_ERR_MAX_PARAM_LENGTH: 'a segment of the path is too long',
}

/** A path that cannot be decoded belongs to no scope with an error handler. */
function refuseUnreadablePath(failure: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem = unreadable[failure.code]
  const error =
    problem === undefined ? toPlazaError(failure) : new PlazaError('bad_request.invalid_param', problem)
  // Hooks do not run for such a path.
  reply
    .status(describeError(error.code).status)
    .headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...corsHeadersOf(request.url),
    })
    .send(bodyOfUnreadable(error, request))
}

function bodyOfUnreadable(error: PlazaError, request: FastifyRequest): object {
  if (hubPath.test(request.url)) return failureBody('Failed to handle request', error)
  return /^\/(v[12]|admin)\//.test(request.url) ? errorResponse(error, request) : errorBody(error, request)
}
