import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../platform/db/connection.js'
import type { ReadRouting } from '../platform/db/replicas/read-routing.js'
import type { WriterKey } from '../platform/db/replicas/recent-writes.js'
import { PlazaError } from '../platform/errors.js'
import { type CallerName, callerAt } from '../platform/limits/caller-name.js'
import type { Counter, LimitStatus } from '../platform/limits/counter.js'
import { allowHeavyWork, type RunHeavy } from '../platform/limits/heavy-requests.js'
import type { WorkLimits } from '../platform/limits/work-limits.js'
import type { AdminAsApp } from './admin/admin-as-app.js'
import { apiKeyOf, callerOf, type FindCaller, keyHint } from './api-keys.js'
import { anonymousCaller, type Caller } from './caller.js'
import { sendErrorResponse } from './error-response.js'
import { acceptJson, JSON_TYPE } from './json-bodies.js'
import { OTHER_OPERATION, type UsageCounter } from './key-usage.js'
import { neutralObjectNames } from './neutral-object-names.js'
import { type ErasedOperation, type JsonReply, pathsOf, prefersStrict } from './operation.js'
import { writerKeysOf } from './writer-keys.js'

/** How requests are authenticated and limited. */
export interface KeyOptions {
  readonly findCaller: FindCaller
  /** Counts the requests of each key, by its id. */
  readonly rateLimiter: Counter<number>
  /** Lets anybody read. Undefined: every request needs a key. */
  readonly publicReads?: PublicReads | undefined
  /** Counts the requests of each address to operations that need no key. */
  readonly keylessCounter: Counter<string>
  /** Lets admins act for apps. Undefined: there is no admin API. */
  readonly asApp?: AdminAsApp | undefined
  /** Counts the requests of each key by operation. */
  readonly usage?: UsageCounter | undefined
}

export interface ApiOptions<Context> extends KeyOptions {
  readonly operations: readonly ErasedOperation<Context>[]
  readonly context: Context
  readonly replicas?: ReplicaReads<Context> | undefined
  /** Bounds of heavy operations. */
  readonly workLimits: WorkLimits
}

/** How reads run on replicas. */
export interface ReplicaReads<Context> {
  readonly routing: Pick<ReadRouting, 'run' | 'wrote'>
  /** The context of an operation that reads from this database. */
  readonly contextOn: (db: Database) => Context
}

/** Requests without a key, for public operations. */
export interface PublicReads {
  /** Finds the app that `client_id` names. */
  readonly findClient: (clientId: string) => Promise<Caller | null>
  /** Counts the requests without a key of each address. */
  readonly rateLimiter: Counter<string>
}

const PREFIX = '/v2'
const LEGACY_PREFIX = '/v1/farcaster'
/** Browsers repeat a preflight after a day. */
const PREFLIGHT_SECONDS = 86_400
const exposedHeaders =
  'location, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id'

/** Adds the operations below `/v2`. The server ignores a trailing slash. */
export async function registerApi<Context>(
  app: FastifyInstance,
  options: ApiOptions<Context>,
): Promise<void> {
  await app.register(
    async (scope) => {
      acceptApiRequests(scope, options)
      const runHeavy = allowHeavyWork(scope, options.workLimits)
      for (const operation of options.operations) {
        for (const path of pathsOf(operation.path)) addOperation(scope, operation, path, options, runHeavy)
      }
    },
    { prefix: PREFIX },
  )
}

/** Adds operations of version 1 below `/v1/farcaster`, beside the hub's methods below `/v1`. */
export async function registerLegacyApi<Context>(
  app: FastifyInstance,
  options: ApiOptions<Context>,
): Promise<void> {
  await app.register(
    async (scope) => {
      acceptApiRequests(scope, options)
      const runHeavy = allowHeavyWork(scope, options.workLimits)
      for (const operation of options.operations) {
        addOperation(scope, operation, `${LEGACY_PREFIX}/${operation.path}`, options, runHeavy)
      }
    },
    { prefix: LEGACY_PREFIX },
  )
}

function acceptApiRequests(scope: FastifyInstance, options: KeyOptions): void {
  sendErrorResponse(scope)
  allowBrowsers(scope)
  answerPreflights(scope)
  acceptJson(scope)
  requireApiKey(scope, options)
}

/** Makes the routes of a scope require the key of an app, and limits the requests of each key. */
export function requireApiKey(scope: FastifyInstance, options: KeyOptions): void {
  scope.decorateRequest('caller', null)
  scope.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS') return
    request.setDecorator('caller', await admit(request, reply, options))
  })
  const { usage } = options
  if (usage) countUsage(scope, usage)
}

/** Counts every answered request of a key, also those above its limit. */
function countUsage(scope: FastifyInstance, usage: UsageCounter): void {
  scope.addHook('onResponse', (request, reply, done) => {
    const caller = request.getDecorator<Caller | null>('caller')
    if (caller !== null) {
      const { operation = OTHER_OPERATION } = request.routeOptions.config as { readonly operation?: string }
      usage.count(caller.keyId, operation, reply.statusCode)
    }
    done()
  })
}

/** @param path Starts with the prefix of the scope. */
function addOperation<Context>(
  scope: FastifyInstance,
  operation: ErasedOperation<Context>,
  path: string,
  { context, replicas, asApp }: ApiOptions<Context>,
  runHeavy: RunHeavy,
): void {
  const rename = path.startsWith('/v2/social/') ? neutralObjectNames(operation) : null
  scope.route({
    method: operation.method,
    url: path.slice(scope.prefix.length),
    config: {
      isPublic: operation.isPublic,
      isKeyless: operation.isKeyless,
      longWait: operation.longWait,
      operation: `${operation.method} ${operation.path}`,
    },
    handler: async (request, reply) => {
      const caller = request.getDecorator<Caller>('caller')
      const { query, params, body, headers } = request
      const input = { query: { ...(query as object), ...(params as object) }, body, headers }
      const run = (used: Context) => operation.run(used, input, caller)
      const runHere = () =>
        replicas
          ? runBesideReplicas(operation, replicas, writerKeysOf(caller, body ?? input.query), run, context)
          : run(context)
      const answer = () => (asApp ? asApp.run(request, operation, runHere) : runHere())
      const price = operation.price?.(input.query) ?? null
      const bytes = ({ json }: JsonReply) => json.length
      const reported =
        price === null
          ? answer()
          : runHeavy({ price, caller: payerOf(caller, request), bytes }, reply, answer)
      const { status, headers: replyHeaders = {}, json } = await reported
      if (prefersStrict(headers.prefer)) reply.header('preference-applied', 'handling=strict')
      return reply
        .status(status)
        .headers(replyHeaders)
        .type(JSON_TYPE)
        .send(rename ? rename(json) : json)
    },
  })
}

/** Requests without a key pay by their address. */
function payerOf(caller: Caller, { ip }: FastifyRequest): CallerName {
  return caller.keyId === anonymousCaller.keyId ? callerAt(ip) : callerOf(caller)
}

/** Runs a read where its database is chosen, and anything else on the primary, as a write of its callers. */
async function runBesideReplicas<Context, Reply>(
  { method, usesPrimary }: Pick<ErasedOperation<Context>, 'method' | 'usesPrimary'>,
  { routing, contextOn }: ReplicaReads<Context>,
  callers: readonly WriterKey[],
  run: (context: Context) => Promise<Reply>,
  primaryContext: Context,
): Promise<Reply> {
  if (method === 'GET' && !usesPrimary) return await routing.run(callers, (db) => run(contextOn(db)))
  try {
    return await run(primaryContext)
  } finally {
    // A request that failed may have written a part.
    routing.wrote(callers)
  }
}

/** Finds the caller and counts the request. Throws PlazaError `unauthenticated` or `bad_request.rate_limited`. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { findCaller, rateLimiter, publicReads, keylessCounter, asApp }: KeyOptions,
): Promise<Caller> {
  const { isPublic, isKeyless } = request.routeOptions.config as {
    readonly isPublic?: boolean
    readonly isKeyless?: boolean
  }
  if (isKeyless) {
    limitRate(keylessCounter.take(request.ip), reply)
    return anonymousCaller
  }
  const admin = await asApp?.admit(request, reply)
  if (admin) return admin
  const key = apiKeyOf(request)
  const caller = key === undefined ? null : await findCaller(key)
  if (caller) {
    // Also where it is refused now: its requests are counted.
    request.setDecorator('caller', caller)
    limitRate(rateLimiter.take(caller.keyId, caller.rateLimit), reply)
    return caller
  }
  if (key === undefined && publicReads && isPublic === true) {
    limitRate(publicReads.rateLimiter.take(request.ip), reply)
    const { client_id: clientId } = request.query as { readonly client_id?: unknown }
    return (typeof clientId === 'string' && (await publicReads.findClient(clientId))) || anonymousCaller
  }
  const problem = key === undefined ? 'an API key is needed' : 'this API key is not valid'
  throw new PlazaError('unauthenticated', `${problem}: ${keyHint}`)
}

function limitRate(status: LimitStatus | null, reply: FastifyReply): void {
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
export function allowBrowsers(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', exposedHeaders)
  })
}

function answerPreflights(scope: FastifyInstance): void {
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
