import type { FastifyInstance, FastifyRequest } from 'fastify'
import { startRead } from '../process/read-turns.js'
import { beginOrdinaryRequest } from '../process/turns.js'

const endings = new WeakMap<FastifyRequest, () => void>()

/**
 * Lets reads take turns, so that nothing else waits for all of them, and lets heavy work wait while ordinary requests are
 * answered: from when their body is there until their reply is made. What a client takes to send or to read does not count.
 */
export function preferOrdinaryRequests(app: FastifyInstance): void {
  app.addHook('preHandler', (request, _reply, done) => {
    endings.set(request, beginOrdinaryRequest())
    if (request.method === 'GET') startRead(done)
    else done()
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    endOrdinaryRequest(request)
    done()
  })
}

/** Heavy work waits for this request no longer: it is heavy itself, or a stream. */
export function endOrdinaryRequest(request: FastifyRequest): void {
  endings.get(request)?.()
}
