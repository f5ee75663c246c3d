import type { FastifyInstance } from 'fastify'
import { redactedPath } from '../platform/text/redacted-path.js'
import { runInSpan } from '../platform/tracing/active-span.js'
import type { Tracing } from '../platform/tracing/tracing.js'
import { endStatusOf } from './request-deadlines.js'

/**
 * Makes a span of every request but of those that machines poll, and continues the trace of its `traceparent`. The span
 * has the route and the status, and no query, header, body or address. Adds no hook when tracing is off.
 */
export function traceRequests(
  app: FastifyInstance,
  tracing: Tracing,
  quietRoutes: ReadonlySet<string>,
): void {
  app.decorateRequest('span', null)
  if (!tracing.isOn) return
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched'
    if (quietRoutes.has(route)) {
      done()
      return
    }
    const { method, headers } = request
    const { traceparent, tracestate } = headers
    const span = tracing.start(`${method} ${route}`, {
      kind: 'server',
      parent: { traceparent: onlyOne(traceparent), tracestate: onlyOne(tracestate) },
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'url.path': redactedPath(request.url),
        'plaza.request_id': request.id,
      },
    })
    request.span = span
    // Also of a request that its client gives up, and of a stream.
    reply.raw.once('close', () => {
      const status = endStatusOf(request, reply) ?? reply.raw.statusCode
      span?.set({
        'http.response.status_code': status,
        ...(status >= 500 ? { 'error.type': `${status}` } : {}),
      })
      span?.end()
    })
    runInSpan(span, done)
  })
  // A body arrives in events of the connection, which belong to no request.
  app.addHook('preValidation', (request, _reply, done) => {
    runInSpan(request.span, done)
  })
}

function onlyOne(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}
