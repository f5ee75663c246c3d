import { setMaxListeners } from 'node:events'
import { Agent, type Dispatcher, errors } from 'undici'
import { errorCode } from '../errors.js'
import { parseUrl } from '../text/parse-url.js'
import { activeSpan, recordedSpan, type TraceSpan } from '../tracing/active-span.js'
import { ACCEPTED_ENCODINGS, type Body, readBody, readPartOfBody } from './body.js'
import { createDialer, nameServerResolve, type Resolve } from './dialer.js'
import { isNetFailure, type NetFailure, NetFailureError, netFailure } from './net-failure.js'
import { checkTarget, type TargetPolicy } from './target.js'

export interface NetClientOptions {
  readonly policy: TargetPolicy
  /** Default for requests without this header. */
  readonly userAgent: string
  readonly connectTimeoutMs?: number
  /** Additional trusted certificates in PEM. */
  readonly ca?: string
  /** Resolver of names. Default: the name servers of this machine. */
  readonly resolve?: Resolve
}

/** A request to a URL that a user has given, with its limits. */
export interface NetRequest {
  readonly url: string
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Deadline of the whole exchange: lookup, connections, redirects and body. */
  readonly deadlineMs: number
  /** Maximum size of the body after decompression. May depend on the head of the response. */
  readonly maxBytes: number | ((head: AnswerHead) => number)
  /** 0 (default) returns the redirect itself. Only GET and HEAD follow redirects. */
  readonly maxRedirects?: number
  /**
   * Whether the target may get the request twice, because it knows it by an id. It is sent once more, at once, where the
   * connection ends before an answer begins: a target closes a kept connection while the request is on its way
   * (RFC 9112 §9.3.1), which is no failure of the target.
   */
  readonly isRepeatable?: boolean
  /**
   * Leaves the body as it comes, for whom the status matters: one that is not compressed as its head says, is cut off, or does not
   * end before the deadline is no failure.
   */
  readonly isRaw?: boolean
  readonly signal?: AbortSignal
}

/** Status and headers of a response. */
export interface AnswerHead {
  readonly status: number
  /** By lowercase name; values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>
}

/** A response with any status. */
export interface NetAnswer extends AnswerHead, Body {
  /** The final URL after redirects. */
  readonly url: string
}

/** The only client for URLs that users have given. */
export interface NetClient {
  /** Resolves to a response of any status, or to the failure. The other side can never make it reject. */
  request(request: NetRequest): Promise<NetAnswer | NetFailure>
  /** Closes every connection and aborts current requests. */
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
const MAX_HEAD_BYTES = 32_768
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Headers that are not sent to another origin after a redirect (Fetch standard, HTTP-redirect fetch). */
const credentialHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/**
 * Opens a client with one policy. It keeps connections for a few seconds. It ignores proxies of the
 * environment, because a proxy would hide the address of the connection.
 */
export function createNetClient(options: NetClientOptions): NetClient {
  const closing = new AbortController()
  // Every open socket adds a listener.
  setMaxListeners(0, closing.signal)
  const agent = new Agent({
    connect: createDialer({
      policy: options.policy,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      resolve: options.resolve ?? nameServerResolve(),
      closing: closing.signal,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    }),
    maxHeaderSize: MAX_HEAD_BYTES,
    // The deadline of the request covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    async request(request) {
      const deadline = startDeadline(request)
      const span = startRequestSpan(request)
      try {
        return endWithAnswer(span, await follow(agent, options, request, deadline.signal, span))
      } catch (error) {
        const failure = deadline.failure() ?? failureOf(error)
        if (failure === null) throw error
        return endWithAnswer(span, failure)
      } finally {
        span?.end()
        deadline.stop()
      }
    },
    async close() {
      const destroyed = agent.destroy(new NetFailureError(netFailure('aborted', 'the client was closed')))
      // The agent would wait for connecting sockets until they connect or time out.
      closing.abort()
      await destroyed
    },
  }
}

/** Follows redirects; checks each target against the policy like the first one. */
async function follow(
  agent: Agent,
  options: NetClientOptions,
  request: NetRequest,
  signal: AbortSignal,
  span: TraceSpan | null,
): Promise<NetAnswer | NetFailure> {
  const redirectsLeft = request.method === 'POST' ? 0 : (request.maxRedirects ?? 0)
  let headers: Record<string, string> = {
    'user-agent': options.userAgent,
    'accept-encoding': request.isRaw ? 'identity' : ACCEPTED_ENCODINGS,
    ...request.headers,
    ...(span ?? activeSpan())?.headers,
  }
  let target: URL | NetFailure = checkTarget(request.url, options.policy)
  for (let redirects = 0; ; redirects += 1) {
    if (isNetFailure(target)) return target
    const response = await sendOrRepeat(agent, target, headers, request, signal)
    const head = headOf(response)
    const location =
      redirectsLeft > 0 && redirectStatuses.has(head.status) ? head.headers.location : undefined
    if (location === undefined) {
      const maxBytes = typeof request.maxBytes === 'number' ? request.maxBytes : request.maxBytes(head)
      const body = request.isRaw
        ? await readPartOfBody(response.body, maxBytes)
        : await readBody(response.body, head.headers['content-encoding'] ?? '', maxBytes)
      return { url: target.href, ...head, ...body }
    }
    await readBody(response.body, '', 0)
    if (redirects === redirectsLeft) return netFailure('too-many-redirects', 'redirected too often')
    const { origin } = target
    target = nextTarget(location, target, options.policy)
    if (!isNetFailure(target) && target.origin !== origin) headers = withoutCredentials(headers)
  }
}

/** The span of a request names its host alone: paths and queries of users' URLs hold tokens. */
function startRequestSpan({ url, method = 'GET' }: NetRequest): TraceSpan | null {
  const parent = recordedSpan()
  if (parent === null) return null
  const host = parseUrl(url)?.hostname ?? ''
  return parent.child(method, {
    kind: 'client',
    attributes: { 'http.request.method': method, 'server.address': host },
  })
}

function endWithAnswer<Answer extends NetAnswer | NetFailure>(
  span: TraceSpan | null,
  answer: Answer,
): Answer {
  if (span === null) return answer
  if (isNetFailure(answer)) span.fail(`${answer.kind}: ${answer.detail}`)
  else {
    span.set({ 'http.response.status_code': answer.status })
    if (answer.status >= 400) span.fail(`status ${answer.status}`)
  }
  return answer
}

async function sendOrRepeat(...exchange: Parameters<typeof send>): Promise<Dispatcher.ResponseData> {
  const [, , , { isRepeatable }] = exchange
  try {
    return await send(...exchange)
  } catch (error) {
    if (isRepeatable && isConnectionLost(error)) return await send(...exchange)
    throw error
  }
}

function send(
  agent: Agent,
  { origin, pathname, search }: URL,
  headers: Record<string, string>,
  { method = 'GET', body }: NetRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return agent.request({
    origin,
    path: pathname + search,
    method,
    headers,
    signal,
    ...(body === undefined ? {} : { body }),
  })
}

/** Whether a connection that was open has ended: one that a target keeps, or a target that hangs up. */
function isConnectionLost(error: unknown): boolean {
  if (error instanceof errors.SocketError) return true
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '')
}

function headOf({ statusCode, headers }: Dispatcher.ResponseData): AnswerHead {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return { status: statusCode, headers: Object.fromEntries(joined) }
}

function nextTarget(location: string, from: URL, policy: TargetPolicy): URL | NetFailure {
  const target = parseUrl(location, from)
  if (target === null) return netFailure('invalid-url', 'redirected to what is not a URL')
  return checkTarget(target, policy)
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !credentialHeaders.has(name.toLowerCase())),
  )
}

function startDeadline({ deadlineMs, signal }: NetRequest) {
  const controller = new AbortController()
  let failure: NetFailure | null = null
  function end(why: NetFailure): void {
    failure = why
    controller.abort(new NetFailureError(why))
  }
  const onAbort = () => end(netFailure('aborted', 'the request was given up'))
  const timer = setTimeout(() => end(netFailure('deadline', `no answer within ${deadlineMs} ms`)), deadlineMs)
  if (signal?.aborted) onAbort()
  // One signal may end many requests.
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', onAbort)
  return {
    signal: controller.signal,
    /** The local reason that ended the exchange, or null. */
    failure: (): NetFailure | null => failure,
    stop(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/**
 * Codes of Node.js and OpenSSL for a refused certificate or a failed handshake. UNABLE_TO_VERIFY_LEAF_SIGNATURE is that of a
 * server which leaves out an intermediate certificate, UNSPECIFIED that of a reason without a code of its own.
 */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CRL_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$|PATH_LENGTH|UNSPECIFIED$)|CERT|LEAF_SIGNATURE/

/** Codes of the operating system: ECONNREFUSED, EPIPE. Codes of Node.js continue with an underscore. */
const systemCode = /^E[A-Z0-9]+$/

/**
 * Codes of the operating system for a lack of resources, a local port, a route or a permission on this side. A host that cannot be
 * reached (EHOSTUNREACH) is not among them: routers of targets that are gone say that for ever.
 */
const localCodes: ReadonlySet<string> = new Set([
  ...['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EADDRNOTAVAIL', 'EACCES', 'EPERM', 'EAI_AGAIN'],
  ...['ENETDOWN', 'ENETUNREACH'],
])

/** Classifies an error of a network exchange; null for a bug, which should be thrown. */
function failureOf(error: unknown): NetFailure | null {
  if (error instanceof NetFailureError) return error.failure
  if (!(error instanceof Error)) return null
  if (error instanceof errors.InvalidArgumentError) return null
  if (error instanceof errors.ConnectTimeoutError) {
    return netFailure('connect-timeout', 'the target did not accept a connection in time')
  }
  if (error instanceof errors.HTTPParserError) return netFailure('protocol', 'the answer is not HTTP')
  if (error instanceof errors.HeadersOverflowError) {
    return netFailure('protocol', 'the head of the answer is too large')
  }
  if (error instanceof errors.ResponseContentLengthMismatchError) {
    return netFailure('protocol', 'the answer is not as long as it says')
  }
  if (error instanceof errors.ClientDestroyedError) return netFailure('aborted', 'the client was closed')
  if (error instanceof errors.UndiciError) return netFailure('connection', error.message)
  const code = codeOf(error)
  if (localCodes.has(code)) return netFailure('local', `the network of this server failed (${code})`)
  if (tlsCode.test(code)) return netFailure('tls', `TLS failed (${code})`)
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR')) {
    return netFailure('encoding', 'the body is not compressed as its head says')
  }
  if (systemCode.test(code)) return netFailure('connection', `${code} from the target`)
  return null
}

/** The code of an error. Of connections to several addresses, it is that of one that says something of the target. */
function codeOf(error: Error): string {
  const codes = [error, ...(error instanceof AggregateError ? error.errors : [])].map(
    (each: unknown) => errorCode(each) ?? '',
  )
  return codes.find((code) => systemCode.test(code) && !localCodes.has(code)) ?? codes[0]!
}
