import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import type { Counter } from '../platform/limits/counter.js'
import type { FindCaller } from './api-keys.js'
import type { Caller } from './caller.js'
import { sendErrorResponse } from './error-response.js'
import { acceptJson, JSON_TYPE } from './json-bodies.js'
import type { Operation } from './operation.js'

export interface ApiOptions<Context> {
  readonly operations: readonly Operation<Context>[]
  readonly context: Context
  readonly findCaller: FindCaller
  /** Counts the requests of each key, by its id. */
  readonly rateLimiter: Counter<number>
}

/** The neutral prefix, and the one of hosted clients. */
const pathNames = ['social', 'farcaster']
/** Browsers repeat a preflight after a day. */
const PREFLIGHT_SECONDS = 86_400
const exposedHeaders = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id'

/** Adds the operations below `/v2/social` and `/v2/farcaster`. The server ignores a trailing slash. */
export async function registerApi<Context>(
  app: FastifyInstance,
  options: ApiOptions<Context>,
): Promise<void> {
  await app.register(
    async (scope) => {
      sendErrorResponse(scope)
      allowBrowsers(scope)
      acceptJson(scope)
      scope.decorateRequest('caller', null)
      scope.addHook('onRequest', async (request, reply) => {
        if (request.method === 'OPTIONS') return
        const caller = await authenticate(request, options)
        request.setDecorator('caller', caller)
        limitRate(options.rateLimiter, caller, reply)
      })
      for (const operation of options.operations) addOperation(scope, operation, options.context)
    },
    { prefix: '/v2' },
  )
}

function addOperation<Context>(
  scope: FastifyInstance,
  operation: Operation<Context>,
  context: Context,
): void {
  for (const pathName of pathNames) {
    scope.route({
      method: operation.method,
      url: `/${pathName}/${operation.path}`,
      handler: async (request, reply) => {
        const caller = request.getDecorator<Caller>('caller')
        const { status, json } = await operation.run(context, request, caller)
        return reply.status(status).type(JSON_TYPE).send(json)
      },
    })
  }
}

async function authenticate(
  request: FastifyRequest,
  { findCaller }: Pick<ApiOptions<unknown>, 'findCaller'>,
): Promise<Caller> {
  const key = request.headers['x-api-key']
  const caller = typeof key === 'string' && key !== '' ? await findCaller(key) : null
  if (caller) return caller
  const problem = key === undefined ? 'an API key is needed' : 'this API key is not valid'
  throw new PlazaError('unauthenticated', `${problem}: send a valid one in the header x-api-key`)
}

function limitRate(rateLimiter: Counter<number>, caller: Caller, reply: FastifyReply): void {
  const status = rateLimiter.take(caller.keyId, caller.rateLimit)
  if (!status) return
  const { limit, remaining, resetSeconds, retryAfterSeconds } = status
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  })
  if (retryAfterSeconds === 0) return
  reply.header('retry-after', retryAfterSeconds)
  throw new PlazaError('bad_request.rate_limited', `more than ${limit} requests a minute`)
}

/** Allows any origin (CORS): a reply depends only on the API key, never on cookies. */
function allowBrowsers(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', exposedHeaders)
  })
  scope.options('/*', async (request, reply) =>
    reply
      .header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS')
      .header(
        'access-control-allow-headers',
        request.headers['access-control-request-headers'] ?? 'x-api-key',
      )
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .status(204)
      .send(),
  )
}
