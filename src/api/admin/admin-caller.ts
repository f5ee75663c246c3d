import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../../platform/errors.js'
import { type CallerName, callerAt } from '../../platform/limits/caller-name.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { secretDigest } from '../../platform/vault/secret-digest.js'
import { refuseOtherSites } from '../same-site.js'
import type { FindSessionOf } from './session-cookie.js'

/** Error text for a change with the cookie that does not come from the console's own pages. */
export const notFromConsole = 'a change with the cookie of the console must come from its own pages'

/** Sender of a request to the admin API. */
export interface AdminCaller {
  /** The session of a browser; null for who has the admin token. */
  readonly sessionId: number | null
}

/** How callers of the admin API are known. */
export interface AdminAccess {
  /** The token that grants full access. Undefined: only sessions do. */
  readonly token: string | undefined
  readonly findSessionOf: FindSessionOf<{ readonly id: number }>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/**
 * Authentication of the admin API. Its functions share the count of failures: a token is tried at the console, too. Requests
 * without a token do not count, nor do sessions, whose secrets are too long to be guessed: other pages and people behind the
 * same address could lock the operator out. Only the lookups of unknown sessions are limited, as those of unknown API keys.
 */
export interface AdminCheck {
  /** Finds out who sends a request. Throws PlazaError `unauthenticated` or `bad_request.rate_limited`. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<AdminCaller>
  /**
   * Does the same for an operation that may read a header `authorization` itself: beside the cookie of a session, one that is
   * not the admin token is that of a user.
   */
  authenticateForOperation(request: FastifyRequest, reply: FastifyReply): Promise<AdminCaller>
  /** Throws the same unless this is the admin token. */
  checkToken(request: FastifyRequest, token: string): void
  /** Throws `bad_request.rate_limited` after too many wrong ones from this address. */
  refuseFlood(request: FastifyRequest): void
  /** Counts a wrong one, and throws `unauthenticated`. */
  refuse(request: FastifyRequest, problem: string): never
}

/** Creates the check of the admin token and of console sessions, which counts the wrong ones of each address. */
export function createAdminCheck({ token, findSessionOf, clock }: AdminAccess): AdminCheck {
  const expected = token === undefined ? null : secretDigest(token)
  const failures = createCounter<CallerName>(limits.adminFailures, clock)

  function refuseFlood(request: FastifyRequest): void {
    const retryAfterSeconds = failures.waitSeconds(callerAt(request.ip))
    if (retryAfterSeconds === 0) return
    const problem = 'too many wrong admin tokens from this address'
    throw new PlazaError('bad_request.rate_limited', problem, { retryAfterSeconds })
  }

  function refuse(request: FastifyRequest, problem: string): never {
    failures.take(callerAt(request.ip))
    throw new PlazaError('unauthenticated', problem)
  }

  function isToken(sent: string): boolean {
    return expected !== null && timingSafeEqual(secretDigest(sent), expected)
  }

  function checkToken(request: FastifyRequest, sent: string): void {
    refuseFlood(request)
    if (!isToken(sent)) refuse(request, 'this is not the admin token')
  }

  async function findSignedIn(request: FastifyRequest): Promise<AdminCaller | null> {
    const session = await findSessionOf(request)
    if (session === null) return null
    if (request.method !== 'GET') refuseOtherSites(request, notFromConsole)
    return { sessionId: session.id }
  }

  async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<AdminCaller> {
    // A reply may hold a key.
    reply.header('cache-control', 'no-store')
    const { authorization } = request.headers
    if (authorization === undefined) {
      const caller = await findSignedIn(request)
      if (caller === null) throw unauthenticated(reply)
      return caller
    }
    try {
      checkToken(request, bearerTokenOf(authorization))
    } catch (error) {
      if (error instanceof PlazaError && error.code === 'unauthenticated') throw unauthenticated(reply)
      throw error
    }
    return { sessionId: null }
  }

  async function authenticateForOperation(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<AdminCaller> {
    const { authorization } = request.headers
    if (authorization === undefined) return await authenticate(request, reply)
    reply.header('cache-control', 'no-store')
    // The session comes first: only for admins a wrong token may go uncounted.
    const caller = await findSignedIn(request)
    if (caller === null || isToken(bearerTokenOf(authorization))) return await authenticate(request, reply)
    return caller
  }

  return { authenticate, authenticateForOperation, checkToken, refuseFlood, refuse }
}

function bearerTokenOf(authorization: string): string {
  return /^bearer +(.*)$/i.exec(authorization)?.[1] ?? ''
}

function unauthenticated(reply: FastifyReply): PlazaError {
  reply.header('www-authenticate', 'Bearer')
  const problem = 'the admin token is needed, as authorization: Bearer <token>, or a session of /console'
  return new PlazaError('unauthenticated', problem)
}
