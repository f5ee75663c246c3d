import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../../../platform/errors.js'
import { JSON_TYPE } from '../../../platform/http/content-type.js'
import { answerPreflights } from '../../../platform/http/cors.js'
import { LongReply } from '../../../platform/http/long-reply.js'
import type { LimitStatus } from '../../../platform/limits/counter.js'
import { allowHeavyWork, type RunHeavy } from '../../../platform/limits/heavy-requests.js'
import { limitRequests } from '../../../platform/limits/limit-requests.js'
import { limits } from '../../../platform/limits/limits.js'
import { redactedPath } from '../../../platform/text/redacted-path.js'
import { priceOfBody, priceOfQuery } from '../heavy-methods.js'
import { callerOfHub } from '../hub-callers.js'
import { createMethodContext, type HubMethod, type MethodContext } from '../hub-method.js'
import { hubMethods } from '../hub-methods.js'
import { readBeside, writeBeside } from '../hub-reads.js'
import { createOperatorCheck } from '../operator-auth.js'
import { sendFailure } from './errors.js'
import { createJsonPageReader } from './event-pages.js'
import { registerEventStream } from './event-stream.js'
import type { HubApi } from './hub-api.js'
import { registerMesh } from './mesh.js'
import { Parameters } from './parameters.js'

const BODY_TYPE = 'application/octet-stream'
/** Headers that clients of hubs send. */
const USUAL_HEADERS = 'content-type, authorization, x-api-key, api_key, last-event-id'

/** Adds the hub's HTTP API (docs/protocol.md §1-2) under `/v1`, with the stream of events. */
export async function registerHubApi(app: FastifyInstance, api: HubApi): Promise<void> {
  const context = createMethodContext(api, createJsonPageReader())
  const routes = new Map<string, HubMethod[]>()
  for (const method of hubMethods) {
    if (method.http) routes.set(method.http.path, [...(routes.get(method.http.path) ?? []), method])
  }
  await app.register(
    async (scope) => {
      answerPreflights(scope, 'GET, POST, OPTIONS', USUAL_HEADERS)
      const countRequest = limitRequests(scope, limits.hubRequests, {
        clock: api.clock,
        max: api.config.rateLimit,
        refusal: rateRefusal,
      })
      sendFailures(scope, countRequest)
      authorize(scope, api)
      acceptBodies(scope, api.config.bodyLimit)
      const served = { api, context, runHeavy: allowHeavyWork(scope, api.workLimits) }
      for (const [path, methods] of routes) addRoute(scope, path, methods, served)
      registerEventStream(scope, api)
      registerMesh(scope, context, createOperatorCheck(api.operatorAuth))
    },
    { prefix: '/v1' },
  )
}

function rateRefusal({ limit, retryAfterSeconds: seconds }: LimitStatus): string {
  const wait = seconds < 60 ? `${seconds} second${seconds === 1 ? '' : 's'}` : '1 minute'
  return `more than ${limit} requests a minute; try again in ${wait}`
}

function sendFailures(
  scope: FastifyInstance,
  countRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  scope.setErrorHandler((error, request, reply) => sendFailure(error, request, reply))
  scope.setNotFoundHandler({ preHandler: countRequest }, (request, reply) =>
    sendFailure(
      new PlazaError('not_found', `no operation ${request.method} ${redactedPath(request.url)}`),
      request,
      reply,
    ),
  )
}

function authorize(scope: FastifyInstance, { authorize: check }: HubApi): void {
  if (!check) return
  // After the rate limit, which counts wrong keys too, and before the body is read.
  scope.addHook('preParsing', async (request) => {
    // A browser sends its preflight request without the key.
    if (request.method !== 'OPTIONS') await check(request)
  })
}

/** Accepts bytes; every other content type is a 415. */
function acceptBodies(scope: FastifyInstance, bodyLimit: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(BODY_TYPE, { parseAs: 'buffer', bodyLimit }, (_request, body, done) => {
    done(null, body)
  })
}

/** Dependencies of routes. */
interface Served {
  readonly api: HubApi
  readonly context: MethodContext
  readonly runHeavy: RunHeavy
}

/** Adds the route of one path: a GET, or a POST for methods that take bytes. */
function addRoute(scope: FastifyInstance, path: string, methods: readonly HubMethod[], served: Served): void {
  const failure = methods.find(({ http }) => http?.failure !== undefined)?.http?.failure ?? ''
  const notFoundStatus = methods[0]?.http?.notFoundStatus
  const longWait = methods.find((method) => method.longWait)?.longWait
  const isWrite = methods.some(({ kind }) => kind === 'write')
  scope.route({
    method: isWrite ? 'POST' : 'GET',
    url: path,
    config: { failure, longWait, ...(notFoundStatus && { notFoundStatus }) },
    handler: async (request, reply) => {
      const json = await answer(methods, request, reply, served)
      return reply.type(JSON_TYPE).send(json)
    },
  })
}

async function answer(
  methods: readonly HubMethod[],
  request: FastifyRequest,
  reply: FastifyReply,
  { api, context, runHeavy }: Served,
): Promise<Buffer | LongReply | string> {
  const { reads = null } = api
  const query = new Parameters(request.query)
  const method = methods.find(({ http }) => http?.when === undefined || query.has(http.when))!
  const callerOf = () => callerOfHub(api.nameKey, request, request.ip)
  if (method.kind === 'read') {
    // The method checks it, if it has this parameter, and else ignores it.
    const fid = Number(query.list('fid')?.values[0] ?? 0)
    const read = async () =>
      encoded(
        await readBeside(reads, { address: request.ip, fid }, context, (used) =>
          method.answerQuery(query, used),
        ),
      )
    const price = priceOfQuery(method, query)
    if (price === null) return await read()
    return await runHeavy({ price, caller: await callerOf(), answerBytes }, reply, read)
  }
  if (!Buffer.isBuffer(request.body)) {
    const property = 'content-type'
    throw new PlazaError('bad_request.invalid_param', `content-type must be ${BODY_TYPE}`, { property })
  }
  const { body } = request
  const write = async () =>
    encoded(await writeBeside(reads, request.ip, () => method.answerBody(body, context)))
  const price = priceOfBody(body)
  if (price === null) return await write()
  const heavy = { price, caller: await callerOf(), bodyBytes: body.length, answerBytes }
  return await runHeavy(heavy, reply, write)
}

function answerBytes({ length }: { readonly length: number }): number {
  return length
}

function encoded(json: object | Buffer | LongReply): Buffer | LongReply | string {
  return Buffer.isBuffer(json) || json instanceof LongReply ? json : JSON.stringify(json)
}
