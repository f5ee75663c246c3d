import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../../../platform/errors.js'
import { redactedPath } from '../../../platform/text/redacted-path.js'
import { castOperations } from './casts.js'
import { chainOperations } from './chain.js'
import { sendFailure } from './errors.js'
import { registerEventStream } from './event-stream.js'
import { eventOperations } from './events.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { infoOperation } from './info.js'
import { linkOperations } from './links.js'
import { Parameters } from './parameters.js'
import { reactionOperations } from './reactions.js'
import { type PostOperation, submitOperations } from './submit.js'
import { userOperations } from './users.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const BODY_TYPE = 'application/octet-stream'
const MINUTE_MS = 60_000
/** Browsers ask again after a day. */
const PREFLIGHT_SECONDS = 86_400

/** Addresses whose requests are counted at once; the least recent are forgotten first. */
const COUNTED_ADDRESSES = 10_000

/** Adds the hub's HTTP API (docs/protocol.md §1-2) under `/v1`, with the stream of events. */
export async function registerHubApi(app: FastifyInstance, api: HubApi): Promise<void> {
  const reads = [
    infoOperation(api),
    ...eventOperations(api.db),
    ...castOperations,
    ...reactionOperations,
    ...linkOperations,
    ...userOperations,
    ...chainOperations,
  ]
  await app.register(
    async (scope) => {
      setHeaders(scope)
      await limitRate(scope, api.config.rateLimit)
      setFailures(scope, api.config.rateLimit > 0)
      authorize(scope, api)
      acceptBodies(scope, api.config.bodyLimit)
      for (const operation of reads) addRead(scope, operation, api)
      for (const operation of submitOperations) addWrite(scope, operation, api)
      registerEventStream(scope, api)
    },
    { prefix: '/v1' },
  )
}

/** Any web page may read the hub: it holds nothing but what is public. */
function setHeaders(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
  })
  scope.options('/*', async (_request, reply) =>
    reply
      .header('access-control-allow-methods', 'GET, POST, OPTIONS')
      .header('access-control-allow-headers', 'content-type, authorization, x-api-key, last-event-id')
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .status(204)
      .send(),
  )
}

async function limitRate(scope: FastifyInstance, perMinute: number): Promise<void> {
  if (perMinute === 0) return
  await scope.register(rateLimit, {
    max: perMinute,
    timeWindow: MINUTE_MS,
    cache: COUNTED_ADDRESSES,
    errorResponseBuilder: (_request, { max, after }) =>
      new PlazaError('bad_request.rate_limited', `more than ${max} requests a minute; try again in ${after}`),
  })
}

function setFailures(scope: FastifyInstance, isRateLimited: boolean): void {
  scope.setErrorHandler((error, request, reply) => sendFailure(error, request, reply))
  const notFound = (request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(
      new PlazaError('not_found', `no operation ${request.method} ${redactedPath(request.url)}`),
      request,
      reply,
    )
  if (isRateLimited) scope.setNotFoundHandler({ preHandler: scope.rateLimit() }, notFound)
  else scope.setNotFoundHandler(notFound)
}

function authorize(scope: FastifyInstance, { authorize: check }: HubApi): void {
  if (!check) return
  // Behind the limit of requests, which counts keys that are tried, and before a body is read.
  scope.addHook('preParsing', async (request) => {
    // A browser asks whether it may send a key without sending one.
    if (request.method !== 'OPTIONS') await check(request)
  })
}

/** Messages come as bytes; whatever else is sent is a 415. */
function acceptBodies(scope: FastifyInstance, bodyLimit: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(BODY_TYPE, { parseAs: 'buffer', bodyLimit }, (_request, body, done) => {
    done(null, body)
  })
}

function addRead(scope: FastifyInstance, { path, failure, answer }: GetOperation, api: HubApi): void {
  scope.get(path, { config: { failure } }, async (request, reply) => {
    const json = await answer(new Parameters(request.query), api)
    return reply.type(JSON_TYPE).send(Buffer.isBuffer(json) ? json : JSON.stringify(json))
  })
}

function addWrite(scope: FastifyInstance, { path, failure, answer }: PostOperation, api: HubApi): void {
  scope.post(path, { config: { failure } }, async (request, reply) => {
    if (!Buffer.isBuffer(request.body)) {
      const property = 'content-type'
      throw new PlazaError('bad_request.invalid_param', `content-type must be ${BODY_TYPE}`, { property })
    }
    const json = await answer(request.body, api)
    return reply.type(JSON_TYPE).send(JSON.stringify(json))
  })
}
