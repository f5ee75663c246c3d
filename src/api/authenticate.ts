import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { type CallerName, callerAt } from '../platform/limits/caller-name.js'
import type { Counter, LimitStatus } from '../platform/limits/counter.js'
import type { AdminAsApp } from './admin/admin-as-app.js'
import { apiKeyOf, type FindCaller, keyHint } from './api-keys.js'
import { anonymousCaller, type Caller } from './caller.js'
import { OTHER_OPERATION, type UsageCounter } from './key-usage.js'
import type { UnknownCredentials } from './unknown-credentials.js'

/** How requests are authenticated and limited. */
export interface KeyOptions {
  readonly findCaller: FindCaller
  /** Bounds the lookups of keys that nobody has. */
  readonly unknownCredentials: UnknownCredentials
  /** Counts the requests of each key, by its id. */
  readonly rateLimiter: Counter<number>
  /** Lets anybody read. Undefined: every request needs a key. */
  readonly publicReads?: PublicReads | undefined
  /** Counts the requests of each address to operations that need no key. */
  readonly keylessCounter: Counter<CallerName>
  /** Lets admins act for apps. Undefined: there is no admin API. */
  readonly asApp?: AdminAsApp | undefined
  /** Counts the requests of each key by operation. */
  readonly usage?: UsageCounter | undefined
}

/** Requests without a key, for public operations. */
export interface PublicReads {
  /** Finds the app that `client_id` names. */
  readonly findClient: (clientId: string) => Promise<Caller | null>
  /** Counts the requests without a key of each address. */
  readonly rateLimiter: Counter<CallerName>
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

/** Finds the caller and counts the request. Throws PlazaError `unauthenticated` or `bad_request.rate_limited`. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { findCaller, unknownCredentials, rateLimiter, publicReads, keylessCounter, asApp }: KeyOptions,
): Promise<Caller> {
  const { isPublic, isKeyless } = request.routeOptions.config as {
    readonly isPublic?: boolean
    readonly isKeyless?: boolean
  }
  if (isKeyless) {
    limitRate(keylessCounter.take(callerAt(request.ip)), reply)
    return anonymousCaller
  }
  const admin = await asApp?.admit(request, reply)
  if (admin) return admin
  const key = apiKeyOf(request)
  const caller = key === undefined ? null : await findCaller(key, unknownCredentials.lookUpFrom(request.ip))
  if (caller) {
    // Also where it is refused now: its requests are counted.
    request.setDecorator('caller', caller)
    limitRate(rateLimiter.take(caller.keyId, caller.rateLimit), reply)
    return caller
  }
  if (key === undefined && publicReads && isPublic === true) {
    limitRate(publicReads.rateLimiter.take(callerAt(request.ip)), reply)
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
