import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../errors.js'
import { type CallerName, callerAt } from './caller-name.js'
import { type Counter, createCounter, type LimitStatus } from './counter.js'
import type { RateLimit } from './limits.js'

export interface RequestLimitOptions {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Requests per window; 0 is no limit. The limit's default unless given. */
  readonly max?: number
  /** The text of a 429; `more than 300 requests a minute` unless given. */
  readonly refusal?: (status: LimitStatus) => string
}

/**
 * Counts the requests of each address to the routes of a scope, and refuses those beyond the limit. Every
 * reply has `x-ratelimit-limit`, `x-ratelimit-remaining` and `x-ratelimit-reset`, a 429 `retry-after` too.
 * Hooks that the scope adds before this one run before it. Paths without a route are not counted, unless the
 * scope's not-found handler calls the function that this returns.
 */
export function limitRequests(
  scope: FastifyInstance,
  limit: RateLimit,
  {
    clock,
    max = limit.default,
    refusal = ({ limit: max }) => `more than ${max} requests a minute`,
  }: RequestLimitOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const counter: Counter<CallerName> = createCounter(limit, clock, max)
  async function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const status = counter.take(callerAt(request.ip))
    if (!status) return
    reply.headers({
      'x-ratelimit-limit': status.limit,
      'x-ratelimit-remaining': status.remaining,
      'x-ratelimit-reset': status.resetSeconds,
    })
    if (status.retryAfterSeconds === 0) return
    reply.header('retry-after', status.retryAfterSeconds)
    throw new PlazaError('bad_request.rate_limited', refusal(status))
  }
  scope.addHook('onRequest', async (request, reply) => {
    // The preflight request of a browser is free.
    if (!request.is404 && request.method !== 'OPTIONS') await count(request, reply)
  })
  return count
}
