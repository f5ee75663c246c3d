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

/** Answers every request in time: with 503 in the form of its API when the handler has not, or when too many wait. */
export function limitRequestTime(
  app: FastifyInstance,
  {
    requestTimeoutMs,
    maxPendingRequests = limits.pendingRequests.default,
  }: { readonly requestTimeoutMs: number; readonly maxPendingRequests?: number },
): void {
  const deadlines = new Deadlines(requestTimeoutMs)
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
  app.addHook('onSend', (request, _reply, _payload, done) => {
    if (request.deadline) deadlines.remove(request.deadline)
    done()
  })
}
