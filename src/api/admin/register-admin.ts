import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../../platform/errors.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { digest } from '../api-keys.js'
import { sendErrorResponse } from '../error-response.js'
import { acceptJson, JSON_TYPE } from '../json-bodies.js'
import type { AdminOperation } from './admin-operation.js'

/** The part of the context that the token check needs. */
export interface AdminContext {
  /** Unix milliseconds. */
  readonly clock: () => number
}

export interface AdminOptions<Context extends AdminContext> {
  readonly operations: readonly AdminOperation<Context>[]
  readonly context: Context
  /** The token that grants full access. Undefined disables the admin API. */
  readonly token: string | undefined
}

/**
 * Adds the operations below `/admin`. Every path requires the token, also unknown ones. Without a configured
 * token nothing is added, and the server replies 404.
 */
export async function registerAdmin<Context extends AdminContext>(
  app: FastifyInstance,
  options: AdminOptions<Context>,
): Promise<void> {
  const { operations, context, token } = options
  if (token === undefined) return
  await app.register(
    async (scope) => {
      sendErrorResponse(scope)
      acceptJson(scope)
      scope.addHook('onRequest', createTokenCheck(token, context.clock))
      for (const operation of operations) addOperation(scope, operation, context)
    },
    { prefix: '/admin' },
  )
}

function addOperation<Context>(
  scope: FastifyInstance,
  operation: AdminOperation<Context>,
  context: Context,
): void {
  const { method, path } = operation
  scope.route({
    method,
    url: `/${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    handler: async (request, reply) => {
      const { status, json } = await operation.run(context, request)
      // An audit line. Replies may hold keys and are not logged.
      if (method !== 'GET') request.log.info({ method, path, params: request.params }, 'changed by admin')
      return reply.status(status).type(JSON_TYPE).send(json)
    },
  })
}

function createTokenCheck(token: string, clock: () => number) {
  const expected = digest(`Bearer ${token}`)
  const failures = createCounter<string>(limits.adminFailures, clock)

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // A reply may hold a key.
    reply.header('cache-control', 'no-store')
    const retryAfterSeconds = failures.waitSeconds(request.ip)
    if (retryAfterSeconds > 0) {
      const problem = 'too many wrong admin tokens from this address'
      throw new PlazaError('bad_request.rate_limited', problem, { retryAfterSeconds })
    }
    const authorizationHeader = (request.headers.authorization ?? '').replace(/^bearer +/i, 'Bearer ')
    if (timingSafeEqual(digest(authorizationHeader), expected)) return
    failures.take(request.ip)
    reply.header('www-authenticate', 'Bearer')
    throw new PlazaError('unauthenticated', 'the admin token is needed, as authorization: Bearer <token>')
  }
}
