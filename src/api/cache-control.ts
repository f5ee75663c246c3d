import type { FastifyInstance } from 'fastify'
import { isApiPath } from '../platform/http/cors.js'

/**
 * Keeps replies of the APIs out of shared caches. They depend on the API key, which is in no URL, and without this header a cache may
 * keep what it likes, of refusals 404 and 410 (RFC 9111 §4.2.2). A browser asks before it uses one. A hook before others of `onSend`.
 */
export function keepFromSharedCaches(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isApiPath(request.url) && !reply.hasHeader('cache-control')) {
      reply.header('cache-control', reply.statusCode >= 400 ? 'no-store' : 'private, no-cache')
    }
    done()
  })
}
