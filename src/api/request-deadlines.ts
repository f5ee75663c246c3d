import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { limits } from '../platform/limits/limits.js'
import { type Deadline, Deadlines, type LongWait, timeoutText } from '../platform/process/deadlines.js'
import { runInSpan } from '../platform/tracing/active-span.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes that may take longer than others. */
    longWait?: LongWait | undefined
    /** Set on routes that answer however much the server has to do. */
    isVital?: boolean
  }
  interface FastifyRequest {
    deadline: RequestDeadline | null
  }
}

const bodiless = new Set<unknown>(['GET', 'HEAD', 'OPTIONS'])

/** The time by which a request is answered, whatever it waits for. */
class RequestDeadline implements Deadline {
  untilMs: number
  #receivingMs = 0

  constructor(
    private readonly deadlines: Deadlines,
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly limitMs: number,
  ) {
    this.untilMs = performance.now() + limitMs
  }

  /** The body is being received. How long that may take is for the server to say, which limits it. */
  beginBody(): void {
    this.#receivingMs = performance.now()
  }

  /** The body is there: the time that the client took for it does not count. */
  endBody(): void {
    if (this.#receivingMs > 0) this.untilMs += performance.now() - this.#receivingMs
  }

  expire(): void {
    const { reply, request } = this
    // Answered at this moment, or taken over by a stream.
    if (reply.sent || reply.raw.headersSent) return
    if (request.raw.readableFlowing && !request.raw.complete) {
      this.untilMs = performance.now() + this.limitMs
      this.deadlines.add(this)
      return
    }
    // The timer belongs to another request.
    runInSpan(request.span, () => reply.send(new PlazaError('unavailable', timeoutText)))
    // What the handler still sends, or fails with, is for nobody.
    reply.send = () => reply
    reply.log = reply.log.child({}, { level: 'silent' })
  }
}

/** The status of a request that its client has given up, as proxies log it. It is never sent. */
const CLIENT_CLOSED_REQUEST = 499

/**
 * The status of a request that has ended: of its reply, if that has begun. Without one it is 503 when its time was over, and
 * otherwise its client has left. Null for a stream: it has begun well, and ends when its reader leaves.
 */
export function endStatusOf(
  { deadline }: FastifyRequest,
  { raw, sent, statusCode }: FastifyReply,
): number | null {
  const isHijacked = sent && !raw.writableEnded
  if (isHijacked) return null
  if (raw.headersSent) return statusCode
  return deadline !== null && deadline.untilMs <= performance.now() ? 503 : CLIENT_CLOSED_REQUEST
}

/** Time that a client has to take a reply, or the next part of it, as long as it has to send a request. */
const SENDING_TIMEOUT_MS = 60_000
/**
 * Least bytes per second of a part: 1 MB a minute. Who takes a byte a minute would hold a reply in memory and a place of heavy
 * requests (`work-limits.ts`) for ever; with this one of 32 MB is held for 35 minutes at most.
 */
const MIN_SENDING_RATE = 16_384

/** A connection with the bytes of its writes that the kernel has not taken, which the timeouts of Node.js read as well. */
interface SendingSocket extends Socket {
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** The time by which a client has taken its reply, which stays in memory until then, or enough of it for as long again. */
class SendingDeadline implements Deadline {
  /** The first look, which most replies do not live to see, begins the time: until then a deadline costs nothing. */
  untilMs = 0
  #takenBytes = 0
  #wasSent = false

  constructor(
    private readonly deadlines: Deadlines,
    private readonly response: ServerResponse,
    private readonly limitMs: number,
  ) {
    deadlines.add(this)
  }

  expire(): void {
    const { response, limitMs } = this
    const socket: SendingSocket = response.req.socket
    // A reply behind another one is not told that its connection has ended.
    if (response.writableFinished || response.destroyed || socket.destroyed) return
    const takenBytes = socket.bytesWritten - (socket._handle?.writeQueueSize ?? 0)
    // Without a socket it waits for the reply to an earlier request of its connection, whose handler may take longer.
    const isSent = response.socket !== null
    if (this.#wasSent && isSent && takenBytes - this.#takenBytes < (MIN_SENDING_RATE * limitMs) / 1000) {
      response.destroy()
      return
    }
    this.#takenBytes = takenBytes
    this.#wasSent = isSent
    this.untilMs = performance.now() + limitMs
    this.deadlines.add(this)
  }
}

/** Limits of the time of a request and of its reply. */
export interface RequestTimes {
  readonly requestTimeoutMs: number
  /** Time that a client has to take a reply, or a part of it that is large enough. */
  readonly sendingTimeoutMs?: number
  readonly maxPendingRequests?: number
}

/**
 * Answers every request in time: with 503 in the form of its API when the handler has not, or when too many wait. Disconnects
 * clients that take too little of their reply in that time. Streams that are hijacked watch their readers themselves.
 */
export function limitRequestTime(
  app: FastifyInstance,
  {
    requestTimeoutMs,
    sendingTimeoutMs = SENDING_TIMEOUT_MS,
    maxPendingRequests = limits.pendingRequests.default,
  }: RequestTimes,
): void {
  const deadlines = new Deadlines(requestTimeoutMs)
  const sending = new Deadlines(sendingTimeoutMs)
  app.decorateRequest('deadline', null)
  app.addHook('onRequest', (request, reply, done) => {
    const { longWait, isVital } = request.routeOptions.config
    if (deadlines.size >= maxPendingRequests && !isVital) {
      done(new PlazaError('unavailable', limits.pendingRequests.refusal))
      return
    }
    const limitMs = Math.max(requestTimeoutMs, longWait?.limitMs ?? 0)
    request.deadline = new RequestDeadline(deadlines, request, reply, limitMs)
    deadlines.add(request.deadline)
    done()
  })
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => bodiless.has(method))) return
    route.preParsing = [
      ...[route.preParsing ?? []].flat(),
      (request, _reply, _body, done) => {
        request.deadline?.beginBody()
        done()
      },
    ]
    route.preValidation = [
      ...[route.preValidation ?? []].flat(),
      (request, _reply, done) => {
        request.deadline?.endBody()
        done()
      },
    ]
  })
  // The answer is made. What compresses it must not be overtaken.
  app.addHook('onSend', (request, { raw }, _payload, done) => {
    if (request.deadline) deadlines.remove(request.deadline)
    if (!raw.destroyed && !request.raw.socket.destroyed) {
      const deadline = new SendingDeadline(sending, raw, sendingTimeoutMs)
      // Of a reply that was taken, and of a connection that has ended.
      raw.once('close', () => sending.remove(deadline))
    }
    done()
  })
}
